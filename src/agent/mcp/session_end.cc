// How a session ends: the process exits, it is idle, or it violates the protocol.

#include <csignal>

#include "agent/mcp/session.h"
#include "agent/process/exit_status.h"

namespace viv::agent {
namespace {

constexpr std::chrono::seconds kExitTimeout{1};        // between the end of its output and its own
constexpr std::chrono::seconds kBusyPollInterval{60};  // at one that works without calls

}  // namespace

void McpSession::OnStreamEnd(OutputStream stream) {
  OnOutput(stream, "\n");  // a last line may lack its end
  if (stream == OutputStream::kStdout) ExpectExit("it closed its output");
}

void McpSession::ExpectExit(std::string reason) {
  exit_reason_ = std::move(reason);
  kill_at_ = std::min(kill_at_, Clock::now() + kExitTimeout);
  supervised_.NotifyAll();
}

void McpSession::OnLeaderExit(int wait_status) {
  OnExit(wait_status);
  // Its children may still have its output open, but the server itself no longer responds.
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
  if (initialize_result_.empty()) text += "did not start: ";
  if (stop_reason_) {
    text += initialize_result_.empty() ? *stop_reason_ : "was stopped: " + *stop_reason_;
  } else {
    json::value end = EndEvent(wait_status());
    text += initialize_result_.empty() ? "it ended with " : "ended with ";
    text += FindString(end, "status");
    text += initialize_result_.empty() ? " before it answered initialize" : " while it was in use";
  }
  if (error_tail_.size() == 1) text += "; its last words: " + error_tail_.front();
  if (error_tail_.size() > 1) {
    text += "; the end of its standard error:";
    for (const std::string& line : error_tail_) text += "\n" + line;
    if (!initialize_result_.empty()) text += "\n";
  }
  if (error_tail_.empty() && initialize_result_.empty())
    text += "; it wrote nothing to standard error";
  if (!initialize_result_.empty()) text += "; the next call starts it anew";
  return text;
}

void McpSession::Stop(std::string reason) {
  if (ended() || stopping()) return;
  stop_reason_ = std::move(reason);
  kill_at_ = Clock::now() + kStopTimeout;
  (void)Signal(SIGTERM);
  supervised_.NotifyAll();
  state_changed_.NotifyAll();
}

void McpSession::KillSoon(std::string reason) {
  if (ended()) return;
  if (!stopping()) stop_reason_ = std::move(reason);
  kill_at_ = Clock::now();
  supervised_.NotifyAll();
  state_changed_.NotifyAll();
}

McpSession::Time McpSession::NextDeadline() const {
  Time deadline = kill_at_;
  if (stopping()) return deadline;
  if (initialize_result_.empty()) return std::min(deadline, started_at_ + definition_.start);
  if (calls_.empty()) return std::min(deadline, last_used_ + definition_.idle);
  return deadline;
}

void McpSession::ActOnDeadline(Time now) {
  if (now >= kill_at_) {
    kill_at_ = Time::max();
    if (!stopping()) stop_reason_ = exit_reason_;
    (void)Signal(SIGKILL);
  } else if (initialize_result_.empty()) {
    KillSoon(refusal_.empty() ? "it did not answer initialize within " +
                                    std::to_string(definition_.start.count()) + " seconds"
                              : "it refused initialize: " + refusal_);
  } else if (has_work()) {
    auto pause = std::min<Clock::duration>(kBusyPollInterval, definition_.idle);
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
