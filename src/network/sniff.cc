#include "network/sniff.h"

#include <errno.h>
#include <sys/socket.h>

#include <algorithm>

#include "network/dial.h"
#include "network/door.h"
#include "network/refusal.h"

namespace viv::network {
namespace {

// Guests of most protocols speak at once. Whoever does not waits for the other side to greet.
constexpr auto kSpeaksFirstWithin = std::chrono::milliseconds(300);
constexpr std::size_t kOpeningReadBytes = 16 * 1024;

struct Heard {
  Opening opening;
  std::string taken;
  bool too_slow = false;
  bool gone = false;
};

enum class ReadEnd { kSome, kNothingYet, kEnded, kGone };

ReadEnd ReadSome(Flow& flow, std::string& taken) {
  if (!flow.guest.is_open()) return ReadEnd::kGone;
  char buffer[kOpeningReadBytes];
  std::size_t room = std::min(sizeof buffer, kOpeningBytesMax - taken.size());
  ssize_t got = recv(flow.guest.native_handle(), buffer, room, MSG_DONTWAIT);
  if (got == 0) return ReadEnd::kEnded;
  if (got < 0) return errno == EAGAIN || errno == EINTR ? ReadEnd::kNothingYet : ReadEnd::kGone;
  taken.append(buffer, static_cast<std::size_t>(got));
  return ReadEnd::kSome;
}

// Reads until the opening is clear. There is something to read, or the guest has ended: one that
// ends without a word is let through, since an end says nothing about hosts.
Task<Heard> Hear(std::shared_ptr<Flow> flow) {
  Heard heard;
  const auto until = std::chrono::steady_clock::now() + flow->box->loop.limits.opening_timeout;
  for (;;) {
    ReadEnd end = ReadSome(*flow, heard.taken);
    if (end == ReadEnd::kSome) {
      heard.opening = ReadOpening(heard.taken);
      if (heard.opening.kind != Opening::Kind::kNeedsMore) break;
      continue;
    }
    if (end == ReadEnd::kEnded) {
      heard.opening = ReadEndedOpening(heard.taken);
      break;
    }
    heard.gone = end == ReadEnd::kGone;
    if (heard.gone) break;
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() > 0) {
      Waited waited = co_await WaitReadableFor(flow->guest, left);
      if (waited == Waited::kReady) continue;
      heard.gone = waited == Waited::kClosed;
    }
    heard.too_slow = !heard.gone;
    break;
  }
  co_return heard;
}

void Settle(Flow& flow, const Opening& opening, OpeningRuling& ruling) {
  if (opening.kind == Opening::Kind::kTls) flow.record.protocol = "tls";
  if (opening.kind == Opening::Kind::kHttp || opening.kind == Opening::Kind::kHttp2)
    flow.record.protocol = "http";
  if (!ruling.rule.empty()) flow.record.rule = std::move(ruling.rule);
  if (!ruling.name.empty() && !ParseAddress(ruling.name)) flow.name = std::move(ruling.name);
  // For the log a refused connection has the host it asked for.
  if (ruling.act == OpeningRuling::Act::kRefuse && !opening.host.empty()) flow.name = opening.host;
}

// A flow while its interceptor serves it. Afterwards neither holds the other, however it ended.
class Served {
 public:
  explicit Served(Flow& flow) : flow_(flow) { flow_.interceptor = flow_.box->interceptor; }
  ~Served() {
    flow_.interceptor = nullptr;
    flow_.on_cut = nullptr;
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

 private:
  Flow& flow_;
};

Task<void> HandOver(std::shared_ptr<Flow> flow, Heard heard) {
  if (!flow->remote_let_go)  // else it was counted when it was dialled
    flow->box->counters.connections.fetch_add(1, std::memory_order_relaxed);
  Served served(*flow);
  auto serving = flow->interceptor;
  co_await serving->Serve(flow, std::move(heard.opening), std::move(heard.taken));
}

enum class Connected { kNo, kYes };

// As long as the other side has not said anything, the guest can be served by somebody else, who
// may have use for the connection.
bool LetRemoteGo(Flow& flow) {
  if (flow.record.bytes_in > 0 || flow.inward_ended) return false;
  flow.remote_let_go = true;
  if (flow.remote.is_open()) flow.spare = UniqueFd(flow.remote.release());
  return true;
}

Task<void> ActOn(std::shared_ptr<Flow> flow, Heard heard, Connected connected) {
  if (heard.gone) co_return flow->Cut();
  if (heard.too_slow) heard.opening.kind = Opening::Kind::kNeedsMore;
  OpeningRuling ruling = JudgeOpening(*flow, heard.opening);
  if (heard.too_slow) {
    ruling.act = OpeningRuling::Act::kRefuse;
    ruling.reason = "its first message was not whole in time";
  }
  if (ruling.act == OpeningRuling::Act::kIntercept && connected == Connected::kYes &&
      !LetRemoteGo(*flow)) {
    ruling.act = OpeningRuling::Act::kRefuse;
    ruling.reason = "the other side spoke first where requests are read; use HTTP or HTTPS";
  }
  Settle(*flow, heard.opening, ruling);
  if (ruling.act == OpeningRuling::Act::kRefuse) {
    std::string words = RefusalBytes(heard.opening, heard.taken, ruling.reason);
    if (connected == Connected::kYes) {
      flow->box->counters.connections.fetch_sub(1, std::memory_order_relaxed);
      // What the other side has said cannot be taken back, and an answer within it means nothing.
      if (!LetRemoteGo(*flow)) words.clear();
      flow->spare = UniqueFd();
    }
    co_return co_await RefuseFlow(flow, std::move(words), std::move(ruling.reason));
  }
  if (ruling.act == OpeningRuling::Act::kIntercept)
    co_return co_await HandOver(flow, std::move(heard));
  if (connected == Connected::kYes) co_return StartOutward(flow, std::move(heard.taken));
  if (co_await ConnectFlow(flow)) StartPipe(flow, std::move(heard.taken));
}

}  // namespace

Task<void> ServeByOpening(std::shared_ptr<Flow> flow) {
  Connected connected = Connected::kNo;
  // A proxy has to be told the name, which the guest may still settle.
  bool at_once = !flow->box->proxy && !MayHaveToBeIntercepted(*flow);
  Waited waited = Waited::kTooLong;
  if (!at_once) waited = co_await WaitReadableFor(flow->guest, kSpeaksFirstWithin);
  if (waited == Waited::kTooLong) {
    if (!co_await ConnectFlow(flow)) co_return;
    connected = Connected::kYes;
    StartInward(flow);
    if (!co_await WaitReadable(flow->guest)) co_return flow->Cut();
  }
  Heard heard = co_await Hear(flow);
  co_await ActOn(flow, std::move(heard), connected);
}

}  // namespace viv::network
