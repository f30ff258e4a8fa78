#pragma once
// One request and its answer, whatever version of HTTP carries them: the guest's side of it and the
// origin's. Bodies come in pieces of 64 KiB at most, so that nothing is held but what is under way.
// Each is used from one thread, with one reader and one writer at a time. A coroutine that waits in
// one of these may be cancelled (asio's terminal cancellation): the wait then ends with an error or
// with boost::system::system_error, and the exchange is only broken off after that.

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

// Headers without those of the hop (Connection, Keep-Alive, Transfer-Encoding, ...), without Host
// and without HTTP/2's pseudo ones; a Content-Length stays.
struct RequestHead {
  std::string method;
  std::string authority;  // Host or :authority, as sent
  std::string target;     // path and query, as sent
  http::Headers headers;
  bool has_body = false;
  std::optional<std::uint64_t> body_bytes;  // as promised
  std::string upgrade;                      // HTTP/1.1: the protocol asked for, "websocket"

  std::string_view path() const {
    return std::string_view(target).substr(0, target.find_first_of("?#"));
  }
};

struct ResponseHead {
  int status = 0;
  http::Headers headers;  // of a 101 with its Upgrade
  bool has_body = false;
  std::optional<std::uint64_t> body_bytes;
  bool body_is_ready = false;  // its first piece is there already: the head may go out with it
};

class GuestExchange {
 public:
  virtual ~GuestExchange() = default;
  virtual const RequestHead& head() const = 0;
  // The next piece; empty at the end. kUnavailable when the guest went away.
  virtual Task<Result<std::string>> ReadBody() = 0;
  virtual const http::Headers& trailers() const = 0;  // once the body has ended
  // 1xx may precede the answer; 101 makes the rest of the connection its bytes.
  virtual Task<Status> SendHead(ResponseHead head) = 0;
  virtual Task<Status> SendBody(std::string piece) = 0;
  virtual Task<Status> Finish(http::Headers trailers) = 0;
  virtual void Abort() = 0;  // the guest shall see that the answer is not whole
  virtual http::ByteStream* upgraded() { return nullptr; }  // after 101

  // Set by whoever serves the exchange, called by who carries it when the guest leaves before the
  // answer has ended: a stream that is reset, a connection that breaks. Called once at most, and
  // not after the exchange was served.
  std::function<void()> on_gone;
};

class OriginExchange {
 public:
  virtual ~OriginExchange() = default;  // in the middle: breaks it off
  virtual Task<Status> SendHead(RequestHead head) = 0;
  virtual Task<Status> SendBody(std::string piece) = 0;
  virtual Task<Status> Finish(http::Headers trailers) = 0;
  // The next head: interim ones (1xx) come first.
  virtual Task<Result<ResponseHead>> ReadHead() = 0;
  virtual Task<Result<std::string>> ReadBody() = 0;  // empty at the end
  virtual const http::Headers& trailers() const = 0;
  virtual http::ByteStream* upgraded() { return nullptr; }  // after 101
  // What became of the request, after a failure. Unless it may be done, nothing of an answer came.
  enum class Delivery {
    kMaybeProcessed,
    kMaybeLost,    // the connection ended, perhaps before it arrived
    kUnprocessed,  // certainly nobody worked on it (RFC 9113, 8.7)
  };
  virtual Delivery delivery() const { return Delivery::kMaybeProcessed; }
};

// A connection to an origin, plain or TLS, HTTP/1.1 or HTTP/2.
class OriginConnection {
 public:
  virtual ~OriginConnection() = default;
  virtual bool CanOpen() const = 0;  // for one more exchange, now
  virtual bool IsIdle() const = 0;
  virtual Result<std::unique_ptr<OriginExchange>> Open() = 0;  // which keeps the connection alive
  virtual void Close() = 0;
  // Called about every second by the owner: keeps the deadlines of the transport (its Tick).
  virtual void Tick(std::chrono::steady_clock::time_point) {}
};

}  // namespace viv::gateway
