#pragma once
// A connection's byte stream: TCP or unix, plain or TLS. Reading and writing have a deadline each,
// which a regular tick of the owner compares with the clock: setting one costs a store, not a
// timer. One read and one write may be under way at a time. Internal to this module, used from one
// thread.

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include "base/result.h"
#include "base/task.h"
#include "base/unique_fd.h"

namespace viv::http {

using StreamSocket = asio::generic::stream_protocol::socket;

class Transport {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::milliseconds;
  using Pieces = std::array<std::string_view, 3>;

  virtual ~Transport() = default;

  virtual asio::any_io_executor executor() = 0;
  virtual bool secure() const = 0;
  virtual Task<bool> Handshake() = 0;  // TLS only; a plain stream has none

  // How many bytes arrived; 0 at the end of the stream, and after a failure, a deadline or Cancel:
  // then read_failed() holds. Both read_failed() and read_truncated() hold when TLS ended without
  // close_notify: either the peer ended the stream, or an attacker truncated it.
  virtual Task<std::size_t> Read(char* into, std::size_t size) = 0;

  // Writes as much as the kernel takes at once, without waiting: how many bytes. Nothing is tried
  // over TLS.
  virtual std::size_t TryWrite(const Pieces& pieces) = 0;

  // Writes all of it but the first `done` bytes; each step forward gets `timeout` anew.
  virtual Task<bool> Write(Pieces pieces, std::size_t done, Duration timeout) = 0;

  // Shuts the stream down so that the peer gets what was written. With Linger::kYes it reads and
  // drops further bytes for a while: closing a socket with unread bytes resets the connection, and
  // the peer would lose the response.
  enum class Linger { kNo, kYes };
  virtual Task<void> Shutdown(Linger linger) = 0;

  // One poll(); does not wait. A peer that has closed its sending half may still read.
  enum class HangUp { kWriteHalf, kBothHalves };
  virtual bool PeerHungUp(HangUp how) = 0;
  // Does not wait; no read may be pending. Whether bytes or the end of the stream have arrived
  // unread. The call may consume them.
  virtual bool HasUnread() = 0;

  virtual void Cancel() = 0;      // pending operations end now
  virtual void CloseWrite() = 0;  // the peer sees the end of the stream; reading continues
  virtual void Close() = 0;
  virtual void Reset() = 0;  // closes so that the peer's next read fails

  void ExpireReadAfter(Duration timeout) {
    read_deadline_ = std::chrono::steady_clock::now() + timeout;
  }
  void ExpireReadNever() { read_deadline_ = TimePoint::max(); }
  bool expired() const { return expired_; }
  bool read_failed() const { return read_failed_; }
  bool read_truncated() const { return read_cut_; }

  void Tick(TimePoint now) {
    if (now < read_deadline_ && now < write_deadline_) return;
    read_deadline_ = write_deadline_ = TimePoint::max();
    expired_ = true;
    Cancel();
  }

 protected:
  void ExpireWriteAfter(Duration timeout) {
    write_deadline_ = std::chrono::steady_clock::now() + timeout;
  }
  void ExpireWriteNever() { write_deadline_ = TimePoint::max(); }
  void set_read_failed() { read_failed_ = true; }
  void set_read_truncated() { read_cut_ = true; }

 private:
  TimePoint read_deadline_ = TimePoint::max();
  TimePoint write_deadline_ = TimePoint::max();
  bool expired_ = false;  // some operation ran out of time
  bool read_failed_ = false;
  bool read_cut_ = false;
};

// Takes a connected stream socket into Asio.
Result<StreamSocket> AdoptSocket(asio::any_io_executor executor, UniqueFd fd);

void PrepareSocket(StreamSocket& socket);  // options that only cost speed when they fail
std::unique_ptr<Transport> MakePlainTransport(StreamSocket socket);

}  // namespace viv::http
