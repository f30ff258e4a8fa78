#pragma once
// What travels over HTTP, free of any library's types. A Request is complete, its body read within
// the limits, unless the server was told to stream it or to wait with it (http/deferred_body.h). A
// Response carries a body, or streams, or takes the connection over: as a WebSocket, or as the
// bytes it is made of.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/task.h"

namespace viv::http {

// Ordered; names compare without regard to case.
class Headers {
 public:
  void Add(std::string name, std::string value) {
    list_.emplace_back(std::move(name), std::move(value));
  }
  void Set(std::string_view name, std::string value);  // replaces every earlier one
  std::string_view Get(std::string_view name) const;   // the first; empty when absent
  bool Has(std::string_view name) const;
  void Clear() { list_.clear(); }
  std::size_t size() const { return list_.size(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<std::pair<std::string, std::string>> list_;
};

// Who calls: set by the Auth middleware, empty before it.
struct Identity {
  std::string account_id;
  std::string key_id;
};

// The body of a request that is handled while it arrives (ServerOptions::streams_body). When a
// handler leaves it unread, the connection closes after the response. One reader at a time; it may
// read while the response streams, and must not read after the response has ended.
class BodyReader {
 public:
  virtual ~BodyReader() = default;
  // The next piece, up to 256 KiB; empty at the end. kUnavailable when the client went away or fell
  // silent, kInvalidArgument when its framing is broken.
  virtual Task<Result<std::string>> Read() = 0;
};

// The client's connection, for handlers that wait long before they respond.
class ClientConnection {
 public:
  virtual ~ClientConnection() = default;
  virtual bool IsClosed() = 0;  // one poll(); does not wait
};

class DeferredBody;

struct Request {
  std::string method;  // "GET"
  std::string target;  // as sent: "/sandbox/slack?tag=a%20b"
  std::string path;    // as sent, without query: segments are decoded by the router
  std::string query;   // as sent, without '?'
  Headers headers;
  std::string body;                       // empty when it is streamed
  BodyReader* body_stream = nullptr;      // outlives the response
  DeferredBody* deferred_body = nullptr;  // set when `body` is still to be read
  ClientConnection* client = nullptr;     // outlives the response; nullptr in tests
  std::string remote;                     // "127.0.0.1"; empty over a unix socket
  bool secure = false;                    // came over TLS
  Identity identity;
  std::string request_id;
  std::vector<std::pair<std::string, std::string>> parameters;  // from the route, decoded

  std::string_view Parameter(std::string_view name) const;  // of the route; empty when absent
  std::optional<std::string> Query(
      std::string_view name) const;  // decoded ('+' is a space); the first one
  std::string BaseUrl()
      const;  // "http://host:port" the client used (Host header; https when secure)
};

// Writes the body of a streaming response piece by piece; chunked on HTTP/1.1, unless the handler
// set a Content-Length, which then has to be kept. A failed write means that the client closed the
// connection. Each piece is sent at once.
class BodyWriter {
 public:
  virtual ~BodyWriter() = default;
  virtual Task<Status> Write(std::string piece) = 0;
  // Resets the connection once the stream function returns, so that the client sees that the body
  // is incomplete.
  virtual void Abort() = 0;
};

// The bytes of a connection, once its response's head is sent; one reader and one writer at a time.
// Reading has no deadline before CloseWrite, and idle_timeout after it.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual Task<Result<std::string>> Read() = 0;  // the next bytes; empty at the end
  virtual Task<Status> Write(std::string bytes) = 0;
  virtual void CloseWrite() = 0;  // the peer reads to its end; Read goes on
};

// A WebSocket after its handshake; one reader and one writer at a time. Control frames are handled
// while a Read is pending: a handler that never reads misses the pongs, and its socket is closed as
// idle.
class WebSocket {
 public:
  struct Message {
    bool text = true;
    std::string data;
  };
  virtual ~WebSocket() = default;
  virtual Task<Result<Message>> Read() = 0;  // kUnavailable when the peer closed
  virtual Task<Status> Write(Message message) = 0;
  virtual Task<void> Close(int code, std::string reason) = 0;
};

struct Response {
  int status = 200;
  Headers headers;
  std::string body;
  std::function<Task<void>(BodyWriter&)>
      stream;  // when set, the body is streamed and `body` ignored
  std::function<Task<void>(WebSocket&)>
      web_socket;  // when set, the connection is upgraded (status ignored)
  std::function<Task<void>(ByteStream&)>
      takeover;  // when set, status and headers are sent as they are and the rest is its own
};

Response Text(int status, std::string body);
Response Json(int status, std::string body);  // content-type: application/json
Response Empty(int status);

using Handler = std::function<Task<Response>(Request&)>;  // the request outlives the call
using Middleware = std::function<Handler(Handler next)>;

// Shapes an error for the client: every dialect has its own. `request` may be incomplete, for a
// broken request is answered too.
using ErrorRenderer =
    std::function<Response(int status, std::string message, const Request& request)>;

// Wraps `handler` in `list`, the first one outermost.
Handler Compose(const std::vector<Middleware>& list, Handler handler);

}  // namespace viv::http
