#include "server/down.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "base/ids.h"
#include "base/json.h"
#include "base/open_files.h"
#include "base/text.h"
#include "cli/print_error.h"
#include "dialects/dashboard/context.h"
#include "http/route_table.h"
#include "server/box_service.h"
#include "server/budget_wiring.h"
#include "server/server_key.h"
#include "store/sqlite/sqlite_store.h"

namespace viv::server {
namespace {

constexpr std::size_t kBoxesListedMax = 1'000'000;
constexpr std::size_t kDownThreads = 4;

Result<std::vector<boxes::BoxPtr>> ListAllBoxes(const AllBoxes& all) {
  std::vector<boxes::BoxPtr> found;
  ASSIGN_OR_RETURN(std::vector<store::Account> accounts, all.accounts.ListAccounts());
  for (const store::Account& account : accounts) {
    boxes::BoxQuery query;
    query.account_id = account.id;
    query.limit = kBoxesListedMax;
    boxes::BoxPage page = all.boxes.List(query);
    found.insert(found.end(), page.boxes.begin(), page.boxes.end());
  }
  return found;
}

json::object DescribeBoxes(const std::vector<boxes::BoxPtr>& boxes) {
  json::array list;
  for (const boxes::BoxPtr& box : boxes)
    list.push_back({{"id", box->id}, {"account_id", box->account_id}});
  return {{"boxes", std::move(list)}};
}

// Returns the boxes that it ended, without those that ended by themselves meanwhile.
Task<Result<std::vector<boxes::BoxPtr>>> EndAllBoxes(AllBoxes all) {
  ASSIGN_OR_CO_RETURN(std::vector<boxes::BoxPtr> boxes, ListAllBoxes(all));
  std::vector<boxes::BoxPtr> ended;
  for (const boxes::BoxPtr& box : boxes) {
    Status removed = co_await all.boxes.Remove(box->account_id, box->id);
    if (removed) ended.push_back(box);
    if (!removed && removed.error().code != ErrorCode::kNotFound)
      co_return PassUp(std::move(removed).error(), "end " + box->id);
  }
  co_return ended;
}

http::Response NotTheOperator() {
  return dashboard::Failure(
      403, "permission_denied",
      "only the operator may list or end all boxes: use the server's own key");
}

Task<http::Response> ShowAllBoxes(AllBoxes& all, http::Request& request) {
  if (!dashboard::IsOperator(request)) co_return NotTheOperator();
  auto boxes = ListAllBoxes(all);
  if (!boxes) co_return dashboard::RenderError(boxes.error());
  co_return http::Json(200, WriteJson(DescribeBoxes(*boxes)));
}

Task<http::Response> RemoveAllBoxes(AllBoxes& all, http::Request& request) {
  if (!dashboard::IsOperator(request)) co_return NotTheOperator();
  auto ended = co_await EndAllBoxes(all);
  if (!ended) co_return dashboard::RenderError(ended.error());
  co_return http::Json(200, WriteJson(DescribeBoxes(*ended)));
}

constexpr http::RouteEntry<AllBoxes> kAllBoxesRoutes[] = {
    {"GET", "/api/viv/boxes", ShowAllBoxes},
    {"DELETE", "/api/viv/boxes", RemoveAllBoxes},
};

// Asks on a terminal whether the boxes may be ended.
Status Confirm(std::size_t count, const DownOptions& options) {
  if (options.yes || count == 0) return {};
  if (::isatty(STDIN_FILENO) != 1)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} boxes would end: without a terminal, confirm with --yes", count));
  fmt::print(stderr, "End {} {}? [y/N] ", count, count == 1 ? "box" : "boxes");
  std::string answer;
  std::getline(std::cin, answer);
  if (ToLower(Trim(answer)) == "y" || ToLower(Trim(answer)) == "yes") return {};
  return Fail(ErrorCode::kInvalidArgument, "no box was ended");
}

std::size_t CountOf(const json::value& answer) {
  const json::value* boxes = Find(answer, "boxes");
  return boxes == nullptr || !boxes->is_array() ? 0 : boxes->get_array().size();
}

Result<json::value> DownThroughServer(const cli::Remote& remote, const DownOptions& options) {
  ASSIGN_OR_RETURN(json::value there, cli::CallServer(remote, "GET", "/api/viv/boxes"));
  RETURN_IF_ERROR(Confirm(CountOf(there), options));
  return cli::CallServer(remote, "DELETE", "/api/viv/boxes");
}

// Adopts the running boxes as the next server would, without listening, and ends them.
Result<json::value> DownWithoutServer(Settings settings,
                                      store::Store& store,
                                      const DownOptions& options) {
  settings.parked = 0;
  settings.on_exit = "keep";   // until somebody said yes
  ::signal(SIGPIPE, SIG_IGN);  // an agent may exit while a request is written to it
  RaiseOpenFileLimit();
  ASSIGN_OR_RETURN(std::string secret, ReadOrMakeSecret(settings.data + "/secret", RandomHex(64)));
  accounts::Accounts accounts(store);
  BlockingPool pool(kDownThreads);
  ASSIGN_OR_RETURN(std::unique_ptr<accounts::Budgets> budgets, OpenBudgets(settings, store));
  ASSIGN_OR_RETURN(std::unique_ptr<BoxService> service,
                   BoxService::Start(settings, store, pool, accounts, *budgets, secret), "boxes");
  AllBoxes all{service->boxes(), accounts};
  ASSIGN_OR_RETURN(std::vector<boxes::BoxPtr> boxes, ListAllBoxes(all));
  RETURN_IF_ERROR(Confirm(boxes.size(), options));
  asio::io_context io;
  auto future = asio::co_spawn(io, EndAllBoxes(all), asio::use_future);
  io.run();
  ASSIGN_OR_RETURN(std::vector<boxes::BoxPtr> ended, future.get());
  return json::value(DescribeBoxes(ended));
}

Result<json::value> EndBoxes(const Settings& settings,
                             const cli::Remote& remote,
                             const DownOptions& options) {
  if (options.through_server) return DownThroughServer(remote, options);
  const std::string database = settings.data + "/viv.db";
  std::error_code error;
  if (!std::filesystem::exists(database, error)) return json::value(DescribeBoxes({}));
  auto store = store::SqliteStore::Open(database, {});
  if (!store && store.error().message.find("in use by another") != std::string::npos)
    return DownThroughServer(remote, options);
  if (!store) return PassUp(std::move(store).error());
  if (::geteuid() != 0)
    return Fail(ErrorCode::kPermissionDenied,
                "no server runs on " + settings.data +
                    ", and boxes without one are ended by root: sudo viv down --data " +
                    settings.data);
  return DownWithoutServer(settings, **store, options);
}

}  // namespace

void AddAllBoxes(http::Router& router, AllBoxes all, const http::KeyLookup& keys) {
  http::Middleware auth = http::Auth(keys, [](http::AuthFailure) {
    return dashboard::Failure(401, "unauthenticated",
                              "Send your key as 'Authorization: Bearer KEY' or 'X-API-Key: KEY'");
  });
  http::AddRoutes<AllBoxes>(router, kAllBoxesRoutes, std::make_shared<AllBoxes>(all), auth);
}

void AddUnavailableAllBoxes(http::Router& router, const http::Handler& refuse) {
  http::AddRoutesServedBy<AllBoxes>(router, kAllBoxesRoutes, refuse);
}

int Down(const Settings& settings, const cli::Remote& remote, const DownOptions& options) {
  auto ended = EndBoxes(settings, remote, options);
  if (!ended) return cli::PrintError(ended.error());
  if (options.json) {
    fmt::print("{}\n", WriteJson(*ended));
    return 0;
  }
  if (CountOf(*ended) == 0) fmt::print("There are no boxes.\n");
  for (std::size_t i = 0; i < CountOf(*ended); ++i)
    fmt::print("ended {}\n", FindString(ended->at("boxes").as_array()[i], "id"));
  return 0;
}

}  // namespace viv::server
