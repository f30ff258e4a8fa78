#pragma once
// The dialects that use boxes, with the tables of each: E2B, LangSmith and Recoup.

#include <memory>
#include <string>

#include "accounts/accounts.h"
#include "accounts/document_table.h"
#include "accounts/sealer.h"
#include "base/blocking_pool.h"
#include "base/result.h"
#include "base/task.h"
#include "dialects/e2b/context.h"
#include "dialects/langsmith/context.h"
#include "dialects/recoup/context.h"
#include "gateway/tls/tls.h"
#include "git/repositories.h"
#include "http/middleware/auth.h"
#include "http/router.h"
#include "server/box_service.h"
#include "server/dialect_errors.h"
#include "server/settings.h"
#include "store/store.h"

namespace viv::server {

// The routes of each dialect, without a prefix.
struct DialectRoutes {
  http::Router e2b;
  http::Router langsmith;
  http::Router recoup;
  http::Router git;
};
// Those of a server without boxes: each route is answered with 503 and the reason, in the shape
// that its dialect's clients know.
DialectRoutes UnavailableDialects(const std::string& why);
// Mounts each dialect's routes at the prefixes where its clients expect them.
void MountDialects(const DialectRoutes& routes, http::Router& router, DialectErrors& errors);

// Traffic to what runs in boxes is told by a request's head, before any path of ours counts.
enum class BoxTraffic { kNone, kE2b, kLangsmith };
BoxTraffic TrafficOf(std::string_view domain, const http::Request& request);

class BoxDialects {
 public:
  struct Parts {
    const Settings& settings;
    store::Store& store;
    BlockingPool& pool;
    accounts::Accounts& accounts;
    BoxService& boxes;
    const std::string& secret;
    accounts::Budgets& budgets;
  };
  static Result<std::unique_ptr<BoxDialects>> Open(Parts parts);  // all outlives it

  DialectRoutes Routes(const http::KeyLookup& keys);
  // The handler of traffic to boxes; nullptr for all other requests.
  const http::Handler* TrafficHandler(const http::Request& request) const;
  git::Repositories& repositories() { return repositories_; }
  Task<void> ExecuteRuns() { return recoup::ExecuteRuns(*recoup_); }

 private:
  explicit BoxDialects(Parts parts);
  Status LoadTables(store::Store& store);

  const std::string domain_;
  accounts::Accounts& accounts_;
  accounts::Sealer sealer_;
  git::Repositories repositories_;
  std::unique_ptr<accounts::DocumentTable> registries_, snapshots_, services_, recoup_accounts_,
      runs_, sessions_;
  std::unique_ptr<gateway::OriginTls> download_tls_;
  std::unique_ptr<e2b::Context> e2b_;
  std::unique_ptr<langsmith::Context> langsmith_;
  std::unique_ptr<recoup::Context> recoup_;
  http::Handler box_traffic_, service_traffic_;
};

// Whether the body of a request is streamed.
bool IsStreamedToBoxes(std::string_view domain, const http::Request& request);

}  // namespace viv::server
