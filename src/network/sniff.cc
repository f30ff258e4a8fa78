#include "network/sniff.h"

#include <errno.h>
#include <sys/socket.h>

#include <algorithm>

#include "network/dial.h"
#include "network/egress_listener.h"
#include "network/refusal.h"

namespace viv::network {
namespace {

// Clients of most protocols send first and at once. A guest that sends nothing waits for the
// server.
constexpr auto kGuestSpeaksFirstTimeout = std::chrono::milliseconds(300);
constexpr std::size_t kSniffReadBytes = 16 * 1024;

struct SniffResult {
  FirstBytes first_bytes;
  std::string already_read;
  bool timed_out = false;
  bool guest_gone = false;
};

enum class ReadResult { kSome, kWouldBlock, kEof, kClosed };

ReadResult ReadSome(Flow& flow, std::string& already_read) {
  if (!flow.guest.is_open()) return ReadResult::kClosed;
  char buffer[kSniffReadBytes];
  std::size_t room = std::min(sizeof buffer, kFirstBytesMax - already_read.size());
  ssize_t got = recv(flow.guest.native_handle(), buffer, room, MSG_DONTWAIT);
  if (got == 0) return ReadResult::kEof;
  if (got < 0)
    return errno == EAGAIN || errno == EINTR ? ReadResult::kWouldBlock : ReadResult::kClosed;
  already_read.append(buffer, static_cast<std::size_t>(got));
  return ReadResult::kSome;
}

// Reads until the protocol is clear. The socket is readable, or the guest has ended: one that ends
// without sending is let through, because it names no host.
Task<SniffResult> Sniff(std::shared_ptr<Flow> flow) {
  SniffResult sniffed;
  const auto until = std::chrono::steady_clock::now() + flow->box->loop.limits.first_bytes_timeout;
  for (;;) {
    ReadResult result = ReadSome(*flow, sniffed.already_read);
    if (result == ReadResult::kSome) {
      sniffed.first_bytes = ParseFirstBytes(sniffed.already_read);
      if (sniffed.first_bytes.kind != FirstBytes::Kind::kNeedsMore) break;
      continue;
    }
    if (result == ReadResult::kEof) {
      sniffed.first_bytes = ParseFirstBytesAtEof(sniffed.already_read);
      break;
    }
    sniffed.guest_gone = result == ReadResult::kClosed;
    if (sniffed.guest_gone) break;
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() > 0) {
      WaitResult waited = co_await WaitReadableFor(flow->guest, left);
      if (waited == WaitResult::kReady) continue;
      sniffed.guest_gone = waited == WaitResult::kClosed;
    }
    sniffed.timed_out = !sniffed.guest_gone;
    break;
  }
  co_return sniffed;
}

void RecordDecision(Flow& flow, const FirstBytes& first_bytes, SniffDecision& decision) {
  if (first_bytes.kind == FirstBytes::Kind::kTls) flow.record.protocol = "tls";
  if (first_bytes.kind == FirstBytes::Kind::kHttp || first_bytes.kind == FirstBytes::Kind::kHttp2)
    flow.record.protocol = "http";
  if (!decision.rule.empty()) flow.record.rule = std::move(decision.rule);
  if (!decision.name.empty() && !ParseAddress(decision.name))
    flow.sniffed_host = std::move(decision.name);
  // The log shows the host for which a refused connection asked.
  if (decision.action == SniffDecision::Action::kRefuse && !first_bytes.host.empty())
    flow.sniffed_host = first_bytes.host;
}

// Sets the flow's interceptor for as long as it serves the flow. Afterwards neither refers to the
// other, however it ended.
class InterceptorScope {
 public:
  explicit InterceptorScope(Flow& flow) : flow_(flow) {
    flow_.interceptor = flow_.box->interceptor;
  }
  ~InterceptorScope() {
    flow_.interceptor = nullptr;
    flow_.on_abort = nullptr;
  }
  InterceptorScope(const InterceptorScope&) = delete;
  InterceptorScope& operator=(const InterceptorScope&) = delete;

 private:
  Flow& flow_;
};

Task<void> Intercept(std::shared_ptr<Flow> flow, SniffResult sniffed) {
  if (!flow->remote_detached)  // otherwise it was counted when it was dialled
    flow->box->counters.connections.fetch_add(1, std::memory_order_relaxed);
  InterceptorScope scope(*flow);
  auto interceptor = flow->interceptor;
  co_await interceptor->Serve(flow, std::move(sniffed.first_bytes),
                              std::move(sniffed.already_read));
}

enum class Connected { kNo, kYes };

// Until the remote side has sent something, an interceptor can serve the guest instead, and may
// reuse the connection.
bool DetachRemote(Flow& flow) {
  if (flow.record.bytes_in > 0 || flow.remote_ended) return false;
  flow.remote_detached = true;
  if (flow.remote.is_open()) flow.detached_remote = UniqueFd(flow.remote.release());
  return true;
}

Task<void> ApplyDecision(std::shared_ptr<Flow> flow, SniffResult sniffed, Connected connected) {
  if (sniffed.guest_gone) co_return flow->Abort();
  if (sniffed.timed_out) sniffed.first_bytes.kind = FirstBytes::Kind::kNeedsMore;
  SniffDecision decision = DecideByFirstBytes(*flow, sniffed.first_bytes);
  if (sniffed.timed_out) {
    decision.action = SniffDecision::Action::kRefuse;
    decision.reason = "its first message was not whole in time";
  }
  if (decision.action == SniffDecision::Action::kIntercept && connected == Connected::kYes &&
      !DetachRemote(*flow)) {
    decision.action = SniffDecision::Action::kRefuse;
    decision.reason = "the other side spoke first where requests are read; use HTTP or HTTPS";
  }
  RecordDecision(*flow, sniffed.first_bytes, decision);
  if (decision.action == SniffDecision::Action::kRefuse) {
    std::string message = RefusalBytes(sniffed.first_bytes, sniffed.already_read, decision.reason);
    if (connected == Connected::kYes) {
      flow->box->counters.connections.fetch_sub(1, std::memory_order_relaxed);
      // What the remote side has sent cannot be undone, and a refusal in the middle of it would
      // mean nothing.
      if (!DetachRemote(*flow)) message.clear();
      flow->detached_remote = UniqueFd();
    }
    co_return co_await RefuseFlow(flow, std::move(message), std::move(decision.reason));
  }
  if (decision.action == SniffDecision::Action::kIntercept)
    co_return co_await Intercept(flow, std::move(sniffed));
  if (connected == Connected::kYes) co_return StartOutbound(flow, std::move(sniffed.already_read));
  if (co_await ConnectFlow(flow)) StartPipe(flow, std::move(sniffed.already_read));
}

}  // namespace

Task<void> SniffAndServe(std::shared_ptr<Flow> flow) {
  Connected connected = Connected::kNo;
  // A proxy needs the host's name, which the first bytes may still decide.
  bool at_once = !flow->box->proxy && !MayNeedInterception(*flow);
  WaitResult waited = WaitResult::kTimeout;
  if (!at_once) waited = co_await WaitReadableFor(flow->guest, kGuestSpeaksFirstTimeout);
  if (waited == WaitResult::kTimeout) {
    if (!co_await ConnectFlow(flow)) co_return;
    connected = Connected::kYes;
    StartInbound(flow);
    if (!co_await WaitReadable(flow->guest)) co_return flow->Abort();
  }
  SniffResult sniffed = co_await Sniff(flow);
  co_await ApplyDecision(flow, std::move(sniffed), connected);
}

}  // namespace viv::network
