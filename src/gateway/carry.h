#pragma once
// Carries one request from a guest to its origin and the answer back, with the credentials that are
// for it. Both directions run at once, each with one piece under way: a server may answer before
// the request has ended, and whoever leaves ends the other side. What cannot be carried is answered
// in words.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/task.h"
#include "gateway/http/connections.h"
#include "gateway/http/exchange.h"
#include "gateway/rules/credentials.h"
#include "network/flow_log.h"

namespace viv::gateway {

struct OpenedOrigin {
  std::unique_ptr<OriginExchange> exchange;
};

// What a request needs of its connection.
struct OriginNeed {
  enum class Version { kAny, kHttp1 };  // an upgrade needs HTTP/1.1
  enum class Age { kAny, kFresh };      // fresh: after an idle one turned out to be dead
  Version version = Version::kAny;
  Age age = Age::kAny;
};

// The guest connection that a request came on: where its requests may go, and who is told.
class Route {
 public:
  virtual ~Route() = default;
  struct Facts {
    std::string host;  // that TLS was begun for; empty in the clear
    std::uint16_t port = 0;
    bool secure = false;
  };
  virtual const Facts& facts() const = 0;
  virtual bool Admits(std::string_view host) const = 0;  // asked in the clear only
  // kPermissionDenied: its certificate is bad. kLimitExceeded: too many at once.
  virtual Task<Result<OpenedOrigin>> Open(std::string host, OriginNeed need) = 0;
  virtual void Count(std::uint64_t bytes_out, std::uint64_t bytes_in) = 0;
  virtual network::FlowRecord Describe() const = 0;
  virtual void Log(const network::FlowRecord& record) = 0;
};

// For a request of the guest's that was refused before it was one.
void LogBroken(Route& route, const BrokenRequest& request);

// Returns when all of it has ended.
Task<void> Carry(std::shared_ptr<Route> route,
                 std::shared_ptr<Credentials> credentials,
                 std::shared_ptr<GuestExchange> guest);

}  // namespace viv::gateway
