#pragma once
// Carries one request from a guest to its origin and the answer back, with the credentials that are
// for it. Both directions run at once, each with one piece under way: a server may answer before
// the request has ended, and whoever leaves ends the other side. What cannot be required_headers is
// answered in words.

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
struct OriginRequirements {
  enum class Version { kAny, kHttp1 };    // an upgrade needs HTTP/1.1
  enum class Freshness { kAny, kFresh };  // fresh: after an idle one turned out to be dead
  Version version = Version::kAny;
  Freshness freshness = Freshness::kAny;
};

// The guest connection that a request came on: where its requests may go, and who is told.
class InterceptedConnection {
 public:
  virtual ~InterceptedConnection() = default;
  struct Info {
    std::string host;  // that TLS was begun for; empty in the clear
    std::uint16_t port = 0;
    bool secure = false;
  };
  virtual const Info& info() const = 0;
  virtual bool AllowsHost(std::string_view host) const = 0;  // asked in the clear only
  // kPermissionDenied: its certificate is bad. kLimitExceeded: too many at once.
  virtual Task<Result<OpenedOrigin>> OpenOrigin(std::string host,
                                                OriginRequirements requirements) = 0;
  virtual void CountBytes(std::uint64_t bytes_out, std::uint64_t bytes_in) = 0;
  virtual network::FlowRecord Describe() const = 0;
  virtual void Log(const network::FlowRecord& record) = 0;
};

// For a request of the guest's that was refused before it was one.
void LogMalformedRequest(InterceptedConnection& connection, const MalformedRequest& request);

// Returns when all of it has ended.
Task<void> ForwardRequest(std::shared_ptr<InterceptedConnection> connection,
                          std::shared_ptr<Credentials> credentials,
                          std::shared_ptr<GuestExchange> guest);

}  // namespace viv::gateway
