#pragma once
// Forwards one request from a guest to its origin and the response back, with the credentials that
// rules add. Both directions run at once, each with one piece in memory: a server may respond
// before the request has ended. When one side leaves, the other side is ended. A request that
// cannot be forwarded gets a response that says why.

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

// What a request requires of its connection to the origin.
struct OriginRequirements {
  enum class Version { kAny, kHttp1 };    // an upgrade needs HTTP/1.1
  enum class Freshness { kAny, kFresh };  // fresh: because an idle connection turned out to be dead
  Version version = Version::kAny;
  Freshness freshness = Freshness::kAny;
};

// The guest's connection on which a request arrived: where its requests may go, and where they are
// logged.
class InterceptedConnection {
 public:
  virtual ~InterceptedConnection() = default;
  struct Info {
    std::string host;  // the host of the TLS handshake; empty in plain HTTP
    std::uint16_t port = 0;
    bool secure = false;
  };
  virtual const Info& info() const = 0;
  virtual bool AllowsHost(std::string_view host) const = 0;  // used for plain HTTP only
  // kPermissionDenied: the origin's certificate is invalid. kLimitExceeded: too many connections.
  virtual Task<Result<OpenedOrigin>> OpenOrigin(std::string host,
                                                OriginRequirements requirements) = 0;
  virtual void CountBytes(std::uint64_t bytes_out, std::uint64_t bytes_in) = 0;
  virtual network::FlowRecord Describe() const = 0;
  virtual void Log(const network::FlowRecord& record) = 0;
};

// Logs a request that was rejected before it could be forwarded.
void LogMalformedRequest(InterceptedConnection& connection, const MalformedRequest& request);

// Returns when both directions have ended.
Task<void> ForwardRequest(std::shared_ptr<InterceptedConnection> connection,
                          std::shared_ptr<Credentials> credentials,
                          std::shared_ptr<GuestExchange> guest);

}  // namespace viv::gateway
