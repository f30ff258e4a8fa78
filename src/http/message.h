#pragma once
// What travels over HTTP, free of any library's types. A Request is complete: its body was read
// within the limits. A Response carries a body, or streams, or takes the connection over as a
// WebSocket.

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

struct Request {
  std::string method;  // "GET"
  std::string target;  // as sent: "/sandbox/slack?tag=a%20b"
  std::string path;    // as sent, without query: segments are decoded by the router
  std::string query;   // as sent, without '?'
  Headers headers;
  std::string body;
  std::string remote;   // "127.0.0.1"
  bool secure = false;  // came over TLS
  Identity identity;
  std::string request_id;
  std::vector<std::pair<std::string, std::string>> parameters;  // from the route, decoded

  std::string_view Parameter(std::string_view name) const;  // of the route; empty when absent
  std::optional<std::string> Query(
      std::string_view name) const;  // decoded ('+' is a space); the first one
  std::string BaseUrl()
      const;  // "http://host:port" the client used (Host header; https when secure)
};

// Writes the body of a streaming response piece by piece; chunked on HTTP/1.1. A failed write means
// that the client went away. Pieces are flushed at once.
class BodyWriter {
 public:
  virtual ~BodyWriter() = default;
  virtual Task<Status> Write(std::string piece) = 0;
};

// A WebSocket after its handshake; one reader and one writer at a time. Control frames are handled
// inside, while a Read is under way: who never reads misses the pongs and is closed as idle.
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
