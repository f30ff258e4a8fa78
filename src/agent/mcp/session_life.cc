// How a session ends: by itself, because it is idle, because it does not do what a server must.

#include <csignal>

#include "agent/mcp/session.h"
#include "agent/process/exit_status.h"

namespace viv::agent {
namespace {

constexpr std::chrono::seconds kSilentEndPatience{1};  // between the end of its output and its own
constexpr std::chrono::seconds kBusyLookPeriod{60};    // at one that works without calls

}  // namespace

void McpSession::OnStreamEnd(OutputStream stream) {
  TakeOutput(stream, "\n");  // a last line may lack its end
  if (stream == OutputStream::kStdout) Suspect("it closed its output");
}

void McpSession::Suspect(std::string reason) {
  suspicion_ = std::move(reason);
  kill_at_ = std::min(kill_at_, Clock::now() + kSilentEndPatience);
  supervised_.NotifyAll();
}

void McpSession::OnLeaderExit(int wait_status) {
  OnExit(wait_status);
  // Children of its may have its output open, but nobody answers there any more.
  if (!ended()) (void)Signal(SIGKILL);
}

void McpSession::OnEnded() {
  LogProcessEnd(logs_, pid(), wait_status());
  failure_ = EndText();
  while (!calls_.empty()) {
    std::shared_ptr<McpCall> call = calls_.begin()->second;
    std::string answer =
        R"({"jsonrpc":"2.0","id":)" + call->id + R"(,"error":{"code":-32603,"message":)";
    AppendJsonString(answer, failure_);
    Finish(call->number, answer + "}}");
  }
  input_.clear();
  input_bytes_ = 0;
  input_queued_.NotifyAll();
  state_changed_.NotifyAll();
  supervised_.NotifyAll();
}

std::string McpSession::EndText() const {
  std::string text = "MCP server '" + definition_.name + "' ";
  if (greeting_.empty()) text += "did not start: ";
  if (stop_reason_) {
    text += greeting_.empty() ? *stop_reason_ : "was stopped: " + *stop_reason_;
  } else {
    json::value end = EndEvent(wait_status());
    text += greeting_.empty() ? "it ended with " : "ended with ";
    text += FindString(end, "status");
    text += greeting_.empty() ? " before it answered initialize" : " while it was in use";
  }
  if (error_tail_.size() == 1) text += "; its last words: " + error_tail_.front();
  if (error_tail_.size() > 1) {
    text += "; the end of its standard error:";
    for (const std::string& line : error_tail_) text += "\n" + line;
    if (!greeting_.empty()) text += "\n";
  }
  if (error_tail_.empty() && greeting_.empty()) text += "; it wrote nothing to standard error";
  if (!greeting_.empty()) text += "; the next call starts it anew";
  return text;
}

void McpSession::Stop(std::string reason) {
  if (ended() || stopping()) return;
  stop_reason_ = std::move(reason);
  kill_at_ = Clock::now() + kStopPatience;
  (void)Signal(SIGTERM);
  supervised_.NotifyAll();
  state_changed_.NotifyAll();
}

void McpSession::Condemn(std::string reason) {
  if (ended()) return;
  if (!stopping()) stop_reason_ = std::move(reason);
  kill_at_ = Clock::now();
  supervised_.NotifyAll();
  state_changed_.NotifyAll();
}

McpSession::Time McpSession::NextDeadline() const {
  Time deadline = kill_at_;
  if (stopping()) return deadline;
  if (greeting_.empty()) return std::min(deadline, started_at_ + definition_.start);
  if (calls_.empty()) return std::min(deadline, last_used_ + definition_.idle);
  return deadline;
}

void McpSession::ActOnDeadline(Time now) {
  if (now >= kill_at_) {
    kill_at_ = Time::max();
    if (!stopping()) stop_reason_ = suspicion_;
    (void)Signal(SIGKILL);
  } else if (greeting_.empty()) {
    Condemn(refusal_.empty() ? "it did not answer initialize within " +
                                   std::to_string(definition_.start.count()) + " seconds"
                             : "it refused initialize: " + refusal_);
  } else if (has_work()) {
    auto pause = std::min<Clock::duration>(kBusyLookPeriod, definition_.idle);
    last_used_ = now - definition_.idle + pause;
  } else {
    Stop("nobody called it for " + std::to_string(definition_.idle.count()) + " seconds");
  }
}

Task<void> McpSession::Supervise() {
  auto self = shared_from_this();
  while (!ended()) {
    Time deadline = NextDeadline();
    Time now = Clock::now();
    if (now >= deadline) {
      ActOnDeadline(now);
      continue;
    }
    co_await supervised_.WaitUntil(deadline);
  }
}

}  // namespace viv::agent
