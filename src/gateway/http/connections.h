#pragma once
// The two versions of HTTP on both sides of the gateway. A connection's bytes are an
// http::Transport, plain or TLS; `already_read` is what was read of it before.

#include <functional>
#include <memory>
#include <string>

#include "base/task.h"
#include "gateway/http/exchange.h"
#include "http/transport.h"

namespace viv::gateway {

// What is done with one request; its end is the end of the exchange. With HTTP/2 many run at once.
using ExchangeHandler = std::function<Task<void>(std::shared_ptr<GuestExchange>)>;

// A request that was never served because it is broken, as far as it could be read.
struct MalformedRequest {
  int status = 400;  // as the guest is told; a stream of HTTP/2 may only be reset
  std::string message;
  std::string method;
  std::string target;
};
using MalformedRequestHandler = std::function<void(const MalformedRequest&)>;

// Until the guest leaves, breaks the protocol or is silent for too long. Requests that are broken
// are answered here, and told to `broken`, which may be empty.
Task<void> ServeHttp1(http::Transport& guest,
                      std::string already_read,
                      ExchangeHandler serve,
                      MalformedRequestHandler on_malformed);
Task<void> ServeHttp1(http::Transport& guest, std::string already_read, ExchangeHandler serve);
Task<void> ServeHttp2(http::Transport& guest,
                      std::string already_read,
                      ExchangeHandler serve,
                      MalformedRequestHandler on_malformed);
Task<void> ServeHttp2(http::Transport& guest, std::string already_read, ExchangeHandler serve);

std::shared_ptr<OriginConnection> MakeHttp1Origin(std::unique_ptr<http::Transport> origin);
std::shared_ptr<OriginConnection> MakeHttp2Origin(std::unique_ptr<http::Transport> origin);

}  // namespace viv::gateway
