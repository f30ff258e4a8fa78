#pragma once
// HTTP/1.1 and HTTP/2 on both sides of the gateway. An http::Transport carries a connection's
// bytes, with or without TLS. `already_read` is what was read from it before.

#include <functional>
#include <memory>
#include <string>

#include "base/task.h"
#include "gateway/http/exchange.h"
#include "http/transport.h"

namespace viv::gateway {

// Handles one request. The exchange ends when the task ends. With HTTP/2, many run at once.
using ExchangeHandler = std::function<Task<void>(std::shared_ptr<GuestExchange>)>;

// A request that was rejected because it is malformed, as far as it could be parsed.
struct MalformedRequest {
  int status = 400;  // as the guest gets it; an HTTP/2 stream may only be reset
  std::string message;
  std::string method;
  std::string target;
};
using MalformedRequestHandler = std::function<void(const MalformedRequest&)>;

// Serve a connection until the guest leaves, breaks the protocol or is silent for too long.
// Malformed requests are answered here and reported to `on_malformed`, which may be empty.
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
