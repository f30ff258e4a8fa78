#pragma once
// A connection's byte stream, plain or TLS. Every operation runs under a deadline, which the
// worker's regular tick compares with the clock: setting one costs a store, not a timer. Internal
// to the server, and used from one thread only.

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>

#include "http/message.h"

namespace boost::asio::ssl {
class context;
}

namespace viv::http {

class Transport {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::milliseconds;
  using Pieces = std::array<std::string_view, 3>;

  virtual ~Transport() = default;

  virtual bool secure() const = 0;
  virtual Task<bool> Handshake() = 0;  // TLS only; a plain stream has none

  // How many bytes arrived; 0 at the end of the stream, after a failure, a deadline or Cancel.
  virtual Task<std::size_t> Read(char* into, std::size_t size) = 0;

  // Writes as much as the kernel takes at once, without waiting: how many bytes. Nothing is tried
  // over TLS.
  virtual std::size_t WriteNow(const Pieces& pieces) = 0;

  // Writes all of it but the first `done` bytes; each step forward gets `timeout` anew.
  virtual Task<bool> Write(Pieces pieces, std::size_t done, Duration timeout) = 0;

  // Takes the stream over for a WebSocket until it is closed.
  virtual Task<void> ServeWebSocket(const Request& request,
                                    const Response& response,
                                    Duration write_timeout) = 0;

  // Says goodbye, so that the peer gets what was written. `linger` reads on for a while: closing
  // with unread bytes would reset the connection and take the answer with it.
  enum class Farewell { kBrief, kLinger };
  virtual Task<void> Shutdown(Farewell farewell) = 0;

  virtual bool PeerIsGone() = 0;  // one cheap look
  virtual void Cancel() = 0;      // what is under way ends now
  virtual void Close() = 0;

  void ExpireAfter(Duration timeout) { deadline_ = std::chrono::steady_clock::now() + timeout; }
  void ExpireNever() { deadline_ = TimePoint::max(); }
  bool expired() const { return expired_; }

  void Tick(TimePoint now) {
    if (now < deadline_) return;
    deadline_ = TimePoint::max();
    expired_ = true;
    Cancel();
  }

 private:
  TimePoint deadline_ = TimePoint::max();
  bool expired_ = false;  // some operation ran out of time
};

// `tls` is nullptr for a plain one; it outlives the transport.
std::unique_ptr<Transport> MakeTransport(asio::ip::tcp::socket socket, asio::ssl::context* tls);

}  // namespace viv::http
