#pragma once
// The Connect protocol (connectrpc.com) on our HTTP server: unary calls, server streams and client
// streams, in JSON and in protobuf's binary form. Methods see JSON only, in proto3's mapping with
// lowerCamelCase names; a schema turns binary messages into it and back. Errors travel as
// Connect's: a status and {"code","message"}, or the last envelope of a stream.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/task.h"
#include "http/message.h"
#include "http/router.h"
#include "rpc/connect/rpc_error.h"
#include "rpc/connect/schema.h"

namespace viv::connect {

struct Call {
  const http::Request& request;
  std::optional<std::chrono::milliseconds> timeout;  // Connect-Timeout-Ms
  std::chrono::seconds keepalive{90};                // Keepalive-Ping-Interval
};

class MessageWriter {
 public:
  virtual ~MessageWriter() = default;
  virtual Task<bool> Write(json::object message) = 0;  // false: the client went away
};
class MessageReader {
 public:
  virtual ~MessageReader() = default;
  // The next message; nothing at the end of the client's stream.
  virtual Task<RpcResult<std::optional<json::object>>> Read() = 0;
};

// The functions outlive every call; a call's objects outlive the function's end.
using Unary = std::function<Task<RpcResult<json::object>>(const Call&, json::object)>;
using ServerStream =
    std::function<Task<RpcResult<void>>(const Call&, json::object, MessageWriter&)>;
using ClientStream = std::function<Task<RpcResult<json::object>>(const Call&, MessageReader&)>;

// Each registers POST /{service}/{method}, e.g. AddUnary(router, schema, "process.Process", "List",
// …). `router` and `schema` outlive the server. Request bodies of streams are read from body_stream
// where the server gives one.
void AddUnary(http::Router& router,
              const Schema& schema,
              std::string_view service,
              std::string_view method,
              Unary function);
void AddServerStream(http::Router& router,
                     const Schema& schema,
                     std::string_view service,
                     std::string_view method,
                     ServerStream function);
void AddClientStream(http::Router& router,
                     const Schema& schema,
                     std::string_view service,
                     std::string_view method,
                     ClientStream function);

// As an unary response, for refusals before a method is reached (authentication).
http::Response RenderRpcError(const RpcError& failure);

}  // namespace viv::connect
