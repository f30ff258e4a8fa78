#pragma once
// One request and its response, independent of the HTTP version: the guest's side and the origin's
// side. Bodies are passed in pieces of at most 64 KiB, so that only these are in memory. An
// exchange is used on one thread, by one reader and one writer at a time. A coroutine that waits in
// one of these may be cancelled (asio's terminal cancellation): the wait then ends with an error or
// with boost::system::system_error, and only then may the exchange be aborted.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/task.h"
#include "http/message.h"

namespace viv::gateway {

// The headers are without hop-by-hop ones (Connection, Keep-Alive, Transfer-Encoding, ...), without
// Host and without HTTP/2's pseudo-headers. Content-Length is kept.
struct RequestHead {
  std::string method;
  std::string authority;  // Host or :authority, as sent
  std::string target;     // path and query, as sent
  http::Headers headers;
  bool has_body = false;
  std::optional<std::uint64_t> body_bytes;  // as announced
  std::string upgrade;                      // HTTP/1.1: the requested protocol, such as "websocket"

  std::string_view path() const {
    return std::string_view(target).substr(0, target.find_first_of("?#"));
  }
};

struct ResponseHead {
  int status = 0;
  http::Headers headers;  // those of a 101 include Upgrade
  bool has_body = false;
  std::optional<std::uint64_t> body_bytes;
  bool body_is_ready = false;  // its first piece is available, so the head may be sent with it
};

class GuestExchange {
 public:
  virtual ~GuestExchange() = default;
  virtual const RequestHead& head() const = 0;
  // The next piece; empty at the end. kUnavailable: the guest has gone.
  virtual Task<Result<std::string>> ReadBody() = 0;
  virtual const http::Headers& trailers() const = 0;  // valid once the body has ended
  // 1xx responses may precede the final one. After 101 the rest of the connection is raw bytes.
  virtual Task<Status> SendHead(ResponseHead head) = 0;
  virtual Task<Status> SendBody(std::string piece) = 0;
  virtual Task<Status> Finish(http::Headers trailers) = 0;
  virtual void Abort() = 0;  // shows the guest that the response is incomplete
  virtual http::ByteStream* upgraded() { return nullptr; }  // after 101

  // The handler of the exchange sets it. It is called when the guest leaves before the response has
  // ended, by a reset stream or a closed connection. It is called at most once, and not after the
  // handler has returned.
  std::function<void()> on_gone;
};

class OriginExchange {
 public:
  virtual ~OriginExchange() = default;  // aborts an unfinished exchange
  virtual Task<Status> SendHead(RequestHead head) = 0;
  virtual Task<Status> SendBody(std::string piece) = 0;
  virtual Task<Status> Finish(http::Headers trailers) = 0;
  // The next head; interim ones (1xx) come first.
  virtual Task<Result<ResponseHead>> ReadHead() = 0;
  virtual Task<Result<std::string>> ReadBody() = 0;  // empty at the end
  virtual const http::Headers& trailers() const = 0;
  virtual http::ByteStream* upgraded() { return nullptr; }  // after 101
  // What became of the request after a failure. Unless it is kMaybeProcessed, no part of a response
  // arrived.
  enum class Delivery {
    kMaybeProcessed,
    kMaybeLost,    // the connection ended, perhaps before the request arrived
    kUnprocessed,  // the request was certainly not processed (RFC 9113, 8.7)
  };
  virtual Delivery delivery() const { return Delivery::kMaybeProcessed; }
};

// A connection to an origin, plain or TLS, HTTP/1.1 or HTTP/2.
class OriginConnection {
 public:
  virtual ~OriginConnection() = default;
  virtual bool CanOpen() const = 0;  // one more exchange, now
  virtual bool IsIdle() const = 0;
  // The exchange keeps the connection alive.
  virtual Result<std::unique_ptr<OriginExchange>> Open() = 0;
  virtual void Close() = 0;
  // The owner calls it about every second; it checks the deadlines of the transport.
  virtual void Tick(std::chrono::steady_clock::time_point) {}
};

}  // namespace viv::gateway
