// The pipe between the two sides of a flow: one coroutine for each direction. Bytes are read into a
// buffer of the thread. Only bytes that the other side does not accept at once are copied and kept.

#include <errno.h>
#include <sys/socket.h>

#include <memory>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "network/flow.h"

namespace viv::network {
namespace {

constexpr std::size_t kScratchBytes = 256 * 1024;
// When the flows of a loop buffer this much for slow readers, reads become small until that is
// sent.
constexpr std::size_t kBufferedBytesMax = 32 * 1024 * 1024;
constexpr std::size_t kReadBytesWhenFull = 4 * 1024;
constexpr int kReadsBeforeYield = 8;  // then other coroutines run

enum class Direction { kOutbound, kInbound };

char* Scratch() {
  static thread_local std::unique_ptr<char[]> scratch(new char[kScratchBytes]);
  return scratch.get();
}

// Bytes that a slow reader has not accepted yet; counted so that their sum stays bounded.
class BufferedBytes {
 public:
  BufferedBytes(std::size_t& total, std::string bytes) : total_(total), bytes_(std::move(bytes)) {
    total_ += bytes_.size();
  }
  ~BufferedBytes() { total_ -= bytes_.size(); }
  BufferedBytes(const BufferedBytes&) = delete;
  BufferedBytes& operator=(const BufferedBytes&) = delete;
  const std::string& bytes() const { return bytes_; }

 private:
  std::size_t& total_;
  std::string bytes_;
};

// The number of bytes that the socket accepted; -1 on an error.
ssize_t SendSome(Stream& to, const char* bytes, std::size_t size) {
  ssize_t put = send(to.native_handle(), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (put < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  return put;
}

Task<bool> SendBuffered(Loop& loop, Stream& to, std::string rest) {
  BufferedBytes buffered(loop.buffered_bytes, std::move(rest));
  std::size_t at = 0;
  for (;;) {
    if (!to.is_open()) co_return false;
    ssize_t put = SendSome(to, buffered.bytes().data() + at, buffered.bytes().size() - at);
    if (put < 0) co_return false;
    at += static_cast<std::size_t>(put);
    if (at == buffered.bytes().size()) co_return true;
    if (!co_await WaitWritable(to)) co_return false;
  }
}

void CountBytes(Flow& flow, Direction direction, std::size_t bytes) {
  if (direction == Direction::kOutbound)
    flow.CountBytes(bytes, 0);
  else
    flow.CountBytes(0, bytes);
}

// Copies until there is nothing to read or other coroutines should run.
enum class CopyResult { kWouldBlock, kYield, kBuffered, kEof, kError };

CopyResult CopySome(Flow& flow, Direction direction, Stream& from, Stream& to, std::string& rest) {
  for (int reads = 0; reads < kReadsBeforeYield; ++reads) {
    if (!from.is_open() || !to.is_open()) return CopyResult::kError;
    std::size_t room =
        flow.box->loop.buffered_bytes < kBufferedBytesMax ? kScratchBytes : kReadBytesWhenFull;
    ssize_t got = recv(from.native_handle(), Scratch(), room, MSG_DONTWAIT);
    if (got < 0)
      return errno == EAGAIN || errno == EINTR ? CopyResult::kWouldBlock : CopyResult::kError;
    if (got == 0) return CopyResult::kEof;
    CountBytes(flow, direction, static_cast<std::size_t>(got));
    ssize_t put = SendSome(to, Scratch(), static_cast<std::size_t>(got));
    if (put < 0) return CopyResult::kError;
    if (put < got) {
      rest.assign(Scratch() + put, static_cast<std::size_t>(got - put));
      return CopyResult::kBuffered;
    }
    // It was less than requested: the next read would find nothing.
    if (static_cast<std::size_t>(got) < room) return CopyResult::kWouldBlock;
  }
  return CopyResult::kYield;
}

// `already_read` was read before and is sent first.
Task<void> CopyAll(std::shared_ptr<Flow> flow, Direction direction, std::string already_read) {
  Stream& from = direction == Direction::kOutbound ? flow->guest : flow->remote;
  Stream& to = direction == Direction::kOutbound ? flow->remote : flow->guest;
  if (!already_read.empty()) {
    CountBytes(*flow, direction, already_read.size());
    if (!co_await SendBuffered(flow->box->loop, to, std::move(already_read)))
      co_return flow->Abort();
  }
  for (;;) {
    std::string rest;
    bool going = true;
    switch (CopySome(*flow, direction, from, to, rest)) {
      case CopyResult::kWouldBlock:
        going = co_await WaitReadable(from);
        break;
      case CopyResult::kYield:
        co_await asio::post(asio::use_awaitable);
        break;
      case CopyResult::kBuffered:
        going = co_await SendBuffered(flow->box->loop, to, std::move(rest));
        break;
      case CopyResult::kEof:
        flow->remote_ended = flow->remote_ended || direction == Direction::kInbound;
        shutdown(to.native_handle(), SHUT_WR);
        co_return;
      case CopyResult::kError:
        going = false;
    }
    if (going) continue;
    if (!flow->remote_detached) flow->Abort();
    co_return;
  }
}

}  // namespace

void StartInbound(std::shared_ptr<Flow> flow) {
  asio::io_context& context = flow->box->loop.context();
  asio::co_spawn(context, CopyAll(std::move(flow), Direction::kInbound, ""), asio::detached);
}

void StartOutbound(std::shared_ptr<Flow> flow, std::string already_read) {
  asio::io_context& context = flow->box->loop.context();
  asio::co_spawn(context, CopyAll(std::move(flow), Direction::kOutbound, std::move(already_read)),
                 asio::detached);
}

void StartPipe(std::shared_ptr<Flow> flow, std::string already_read) {
  StartOutbound(flow, std::move(already_read));
  StartInbound(std::move(flow));
}

}  // namespace viv::network
