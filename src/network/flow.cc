#include "network/flow.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "network/dial.h"
#include "network/sniff.h"

namespace viv::network {
namespace {

// Whether the connection is open and has received nothing.
bool IsQuiet(int fd) {
  char byte = 0;
  return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

}  // namespace

Flow::Flow(std::shared_ptr<Box> of_box, UniqueFd accepted)
    : box(std::move(of_box)),
      guest(AdoptStream(box->loop.context(), std::move(accepted))),
      remote(box->loop.context()) {
  record.at_us = NowMicros();
  record.protocol = "tcp";
  box->flows.insert(this);
  box->loop.limits.flows.fetch_add(1, std::memory_order_relaxed);
}

Flow::~Flow() {
  // An interceptor logs requests. Without one, the connection itself is logged.
  if (!record.verdict.empty() && !logged_) Log(Describe());
  box->flows.erase(this);
  box->loop.limits.flows.fetch_sub(1, std::memory_order_relaxed);
}

bool Flow::StillAllowed() const {
  bool decided = destination.port != 0;  // otherwise it is still to be decided
  if (is_dns || !decided) return true;
  return box
      ->Decide(destination,
               sniffed_host.empty() ? resolved_names : std::vector<std::string>{sniffed_host})
      .allowed;
}

void Flow::Abort() {
  CloseWithReset(guest);
  CloseWithReset(remote);
  if (auto act = std::exchange(on_abort, nullptr)) act();
}

UniqueFd Flow::ReleaseGuestSocket() {
  return guest.is_open() ? UniqueFd(guest.release()) : UniqueFd();
}

Task<Result<UniqueFd>> Flow::Dial(std::string host) {
  if (box->closed()) co_return Fail(ErrorCode::kUnavailable, "the box is closed");
  UniqueFd dialled = std::move(detached_remote);
  if (dialled && !box->proxy && IsQuiet(dialled.get())) co_return std::move(dialled);
  if (host.empty() && !sniffed_host.empty()) host = sniffed_host;
  if (host.empty() && !resolved_names.empty()) host = resolved_names.front();
  ASSIGN_OR_CO_RETURN(Stream stream, co_await DialFor(box, destination, std::move(host)));
  co_return UniqueFd(stream.release());
}

bool Flow::AllowsHost(std::string_view host) const {
  return DecideHost(*this, host).allowed;
}

void Flow::CountBytes(std::uint64_t bytes_out, std::uint64_t bytes_in) {
  record.bytes_out += bytes_out;
  record.bytes_in += bytes_in;
  box->counters.bytes_out.fetch_add(bytes_out, std::memory_order_relaxed);
  box->counters.bytes_in.fetch_add(bytes_in, std::memory_order_relaxed);
}

FlowRecord Flow::Describe() const {
  FlowRecord line = record;
  line.name =
      sniffed_host.empty() && !resolved_names.empty() ? resolved_names.front() : sniffed_host;
  if (destination.port != 0) line.address = destination.address.Text();
  line.port = destination.port;
  line.duration_us = std::chrono::duration_cast<std::chrono::microseconds>(
                         std::chrono::steady_clock::now() - began_)
                         .count();
  return line;
}

void Flow::Log(const FlowRecord& line) const {
  logged_ = true;
  FlowLog* log = box->loop.limits.flow_log;
  if (log != nullptr && !box->box_id.empty()) log->Append(box->box_id, line);
}

void Flow::RecordRefusal(std::string why) {
  box->counters.refused.fetch_add(1, std::memory_order_relaxed);
  record.verdict = "refused";
  record.reason = std::move(why);
}

void Flow::RecordFailure(std::string why) {
  record.verdict = "failed";
  record.reason = std::move(why);
}

}  // namespace viv::network
