// The pipe between the two sides of a flow: two lanes, each a coroutine. Bytes are read into a
// buffer of the thread; only what the other side does not take at once is kept by the lane.

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
// When the lanes of a loop hold this much for slow takers, reads become small until they have it.
constexpr std::size_t kHeldBytesMax = 32 * 1024 * 1024;
constexpr std::size_t kReadInShortage = 4 * 1024;
constexpr int kReadsPerTurn = 8;  // then the other lanes have their turn

enum class LaneWay { kOut, kIn };

char* Scratch() {
  static thread_local std::unique_ptr<char[]> scratch(new char[kScratchBytes]);
  return scratch.get();
}

// Bytes waiting for a slow taker; counted so that their sum stays bounded.
class HeldBytes {
 public:
  HeldBytes(std::size_t& total, std::string bytes) : total_(total), bytes_(std::move(bytes)) {
    total_ += bytes_.size();
  }
  ~HeldBytes() { total_ -= bytes_.size(); }
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;
  const std::string& bytes() const { return bytes_; }

 private:
  std::size_t& total_;
  std::string bytes_;
};

// How many bytes the socket took; -1 when it is broken.
ssize_t SendSome(Stream& to, const char* bytes, std::size_t size) {
  ssize_t put = send(to.native_handle(), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (put < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  return put;
}

Task<bool> SendHeld(Loop& loop, Stream& to, std::string rest) {
  HeldBytes held(loop.held_bytes, std::move(rest));
  std::size_t at = 0;
  for (;;) {
    if (!to.is_open()) co_return false;
    ssize_t put = SendSome(to, held.bytes().data() + at, held.bytes().size() - at);
    if (put < 0) co_return false;
    at += static_cast<std::size_t>(put);
    if (at == held.bytes().size()) co_return true;
    if (!co_await WaitWritable(to)) co_return false;
  }
}

void CountBytes(Flow& flow, LaneWay way, std::size_t bytes) {
  if (way == LaneWay::kOut)
    flow.Count(bytes, 0);
  else
    flow.Count(0, bytes);
}

// One turn: reads and passes on until nothing is there or others should run.
enum class TurnEnd { kEmpty, kYield, kHold, kEnded, kBroken };

TurnEnd TakeTurn(Flow& flow, LaneWay way, Stream& from, Stream& to, std::string& rest) {
  for (int reads = 0; reads < kReadsPerTurn; ++reads) {
    if (!from.is_open() || !to.is_open()) return TurnEnd::kBroken;
    std::size_t room = flow.box->loop.held_bytes < kHeldBytesMax ? kScratchBytes : kReadInShortage;
    ssize_t got = recv(from.native_handle(), Scratch(), room, MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR ? TurnEnd::kEmpty : TurnEnd::kBroken;
    if (got == 0) return TurnEnd::kEnded;
    CountBytes(flow, way, static_cast<std::size_t>(got));
    ssize_t put = SendSome(to, Scratch(), static_cast<std::size_t>(got));
    if (put < 0) return TurnEnd::kBroken;
    if (put < got) {
      rest.assign(Scratch() + put, static_cast<std::size_t>(got - put));
      return TurnEnd::kHold;
    }
    // Less than asked for: the next read would find nothing.
    if (static_cast<std::size_t>(got) < room) return TurnEnd::kEmpty;
  }
  return TurnEnd::kYield;
}

// `taken` was read before, and goes first.
Task<void> RunLane(std::shared_ptr<Flow> flow, LaneWay way, std::string taken) {
  Stream& from = way == LaneWay::kOut ? flow->guest : flow->remote;
  Stream& to = way == LaneWay::kOut ? flow->remote : flow->guest;
  if (!taken.empty()) {
    CountBytes(*flow, way, taken.size());
    if (!co_await SendHeld(flow->box->loop, to, std::move(taken))) co_return flow->Cut();
  }
  for (;;) {
    std::string rest;
    bool going = true;
    switch (TakeTurn(*flow, way, from, to, rest)) {
      case TurnEnd::kEmpty:
        going = co_await WaitReadable(from);
        break;
      case TurnEnd::kYield:
        co_await asio::post(asio::use_awaitable);
        break;
      case TurnEnd::kHold:
        going = co_await SendHeld(flow->box->loop, to, std::move(rest));
        break;
      case TurnEnd::kEnded:
        flow->inward_ended = flow->inward_ended || way == LaneWay::kIn;
        shutdown(to.native_handle(), SHUT_WR);
        co_return;
      case TurnEnd::kBroken:
        going = false;
    }
    if (going) continue;
    if (!flow->remote_let_go) flow->Cut();
    co_return;
  }
}

}  // namespace

void StartInward(std::shared_ptr<Flow> flow) {
  asio::io_context& context = flow->box->loop.context();
  asio::co_spawn(context, RunLane(std::move(flow), LaneWay::kIn, ""), asio::detached);
}

void StartOutward(std::shared_ptr<Flow> flow, std::string taken) {
  asio::io_context& context = flow->box->loop.context();
  asio::co_spawn(context, RunLane(std::move(flow), LaneWay::kOut, std::move(taken)),
                 asio::detached);
}

void StartPipe(std::shared_ptr<Flow> flow, std::string taken) {
  StartOutward(flow, std::move(taken));
  StartInward(std::move(flow));
}

}  // namespace viv::network
