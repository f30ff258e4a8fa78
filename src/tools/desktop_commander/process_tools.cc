// start_process, read_process_output, interact_with_process, force_terminate and list_sessions.

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "tools/desktop_commander/blocked_commands.h"
#include "tools/desktop_commander/commander.h"
#include "tools/desktop_commander/process_state.h"

namespace viv::tools::commander {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kCommandBytesMax = 120'000;  // the kernel takes no longer argument
constexpr std::int64_t kWaitMsMax = 20 * 60 * 1000;
constexpr std::chrono::milliseconds kTick{100};
// A prompt counts once nothing has followed it for so long.
constexpr std::chrono::milliseconds kQuiet{50};
// An error message counts as the end only after so long, as a prompt may follow it.
constexpr std::chrono::milliseconds kErrorSettles{200};

SteadyClock::time_point DeadlineOf(const Arguments& arguments, std::int64_t fallback_ms) {
  const std::int64_t asked = arguments.Integer("timeout_ms", fallback_ms);
  return SteadyClock::now() +
         std::chrono::milliseconds(std::clamp<std::int64_t>(asked, 1, kWaitMsMax));
}

std::optional<pid_t> PidOf(const Arguments& arguments) {
  const std::int64_t pid = arguments.Integer("pid");
  return pid > 0 && pid <= 0x7fffffff ? std::optional(static_cast<pid_t>(pid)) : std::nullopt;
}

std::string PidText(const Arguments& arguments) {
  const json::value* pid = arguments.Find("pid");
  return pid == nullptr ? "" : WriteJson(*pid);
}

std::string RenderEnd(const SessionResult& end) {
  const std::string output(Trim(end.output));
  char runtime[32];
  std::snprintf(runtime, sizeof runtime, "%.3f", static_cast<double>(end.runtime.count()) / 1000);
  std::string seconds = runtime;
  while (seconds.ends_with('0')) seconds.pop_back();
  if (seconds.ends_with('.')) seconds.pop_back();
  std::string text = output.empty() ? "" : output + "\n\n";
  text += "Process completed with exit code " +
          (end.exit_code ? std::to_string(*end.exit_code) : "null") + "\nRuntime: " + seconds + "s";
  if (output.empty()) text += "\n(No output produced)";
  return text;
}

// Follows a process until it ends, stands at a prompt, or there is no more time.
class Watch {
 public:
  enum class Reason { kEnded, kPrompt, kFinished, kTime };

  Watch(Sessions& sessions, pid_t pid, SteadyClock::time_point deadline, const CallContext& context)
      : sessions_(sessions), pid_(pid), deadline_(deadline), context_(context) {}

  // `output` says what to judge; news before `seen` do not count.
  Reason Go(std::uint64_t seen, const std::function<std::string()>& output, bool trust_errors) {
    const auto began = SteadyClock::now();
    bool fresh = false;
    for (;;) {
      const auto now = SteadyClock::now();
      if (!sessions_.IsRunning(pid_)) return Reason::kEnded;
      if (now >= deadline_ || context_.cancelled) return Reason::kTime;
      const auto pause = fresh && state_.waiting ? kQuiet : kTick;
      const std::uint64_t activity =
          sessions_.WaitForActivity(pid_, seen, std::min(deadline_, now + pause));
      if (!sessions_.IsRunning(pid_)) return Reason::kEnded;
      if (activity != seen) {
        seen = activity;
        fresh = true;
        state_ = DetectState(output());
      } else if (fresh && state_.waiting) {
        return Reason::kPrompt;
      }
      if (fresh && trust_errors && state_.finished && SteadyClock::now() - began > kErrorSettles)
        return Reason::kFinished;
    }
  }

  const ProcessState& state() const { return state_; }

 private:
  Sessions& sessions_;
  const pid_t pid_;
  const SteadyClock::time_point deadline_;
  const CallContext& context_;
  ProcessState state_;
};

// Adds what is new and gives all that was heard.
std::function<std::string()> Listening(Sessions& sessions, pid_t pid, OutputTail& said) {
  return [&sessions, pid, &said] {
    said.Add(sessions.TakeUnread(pid));
    return said.Text();
  };
}

ToolResult StartProcessTool(Commander& commander,
                            const Arguments& arguments,
                            const CallContext& context) {
  const std::string command = arguments.Text("command");
  if (command.size() > kCommandBytesMax || command.find('\0') != std::string::npos)
    return ErrorText("Error: the command is longer than 120000 bytes or contains a NUL byte");
  if (IsBlocked(command, commander.config.BlockedCommands()))
    return ErrorText("Error: Command not allowed: " + command);
  std::string shell = arguments.Text("shell");
  if (shell.empty()) shell = commander.config.DefaultShell();
  Sessions& sessions = commander.sessions;
  auto pid = sessions.Start({shell, command, commander.workspace});
  if (!pid)
    return ErrorText("Error: Failed to get process ID. The command could not be executed. (" +
                     pid.error().message + ")");
  Watch watch(sessions, *pid, DeadlineOf(arguments, 1000), context);
  const auto reason = watch.Go(
      0, [&] { return sessions.Output(*pid); }, false);
  std::string output, status;
  if (auto end = sessions.ResultOf(*pid); reason == Watch::Reason::kEnded && end) {
    output = end->output;
  } else {
    sessions.MarkBlocked(*pid);
    output = sessions.Output(*pid);
  }
  const ProcessState state = DetectState(output);
  if (reason != Watch::Reason::kEnded && state.waiting) {
    status = "\n🔄 " + DescribeState(state, *pid);
  } else if (state.finished) {
    status = "\n✅ " + DescribeState(state, *pid);
  } else if (reason != Watch::Reason::kEnded) {
    status = "\n⏳ Process is running. Use read_process_output to get more output.";
  }
  return Text("Process started with PID " + std::to_string(*pid) + " (shell: " + shell +
              ")\nInitial output:\n" + output + status);
}

ToolResult ReadOutputTool(Commander& commander,
                          const Arguments& arguments,
                          const CallContext& context) {
  Sessions& sessions = commander.sessions;
  const auto pid = PidOf(arguments);
  if (pid && !sessions.IsRunning(*pid))
    if (auto end = sessions.ResultOf(*pid)) return Text(RenderEnd(*end));
  if (!pid || !sessions.IsRunning(*pid))
    return ErrorText("No session found for PID " + PidText(arguments));
  const std::uint64_t seen = sessions.ActivityCount(*pid);
  OutputTail said;  // of a flood no more than its end
  said.Add(sessions.TakeUnread(*pid));
  auto reason = Watch::Reason::kPrompt;
  ProcessState state = DetectState(said.Text());
  if (said.empty()) {
    Watch watch(sessions, *pid, DeadlineOf(arguments, 5000), context);
    reason = watch.Go(seen, Listening(sessions, *pid, said), true);
    state = watch.state();
  }
  if (auto end = sessions.ResultOf(*pid); reason == Watch::Reason::kEnded && end)
    return Text(RenderEnd(*end) + "\n✅ Process " + std::to_string(*pid) +
                " has finished execution");
  std::string status;
  if (state.waiting || state.finished) {
    status = (state.waiting ? "\n🔄 " : "\n✅ ") + DescribeState(state, *pid);
  } else if (reason == Watch::Reason::kTime) {
    status = "\n⏱️ Timeout reached - process may still be running";
  }
  return Text((said.empty() ? "No new output available" : said.Text()) + status);
}

std::string RenderInteraction(const std::string& cleaned, const std::string& status, int pid) {
  std::string text = "✅ Input executed in process " + std::to_string(pid);
  text += cleaned.empty() ? ".\n📭 (No output produced)" : ":\n\n📤 Output:\n" + cleaned;
  return status.empty() ? text : text + (cleaned.empty() ? "" : "\n\n") + status;
}

ToolResult InteractTool(Commander& commander,
                        const Arguments& arguments,
                        const CallContext& context) {
  Sessions& sessions = commander.sessions;
  const auto pid = PidOf(arguments);
  std::string input = arguments.Text("input");
  if (!input.ends_with('\n')) input += '\n';
  const std::uint64_t seen = pid ? sessions.ActivityCount(*pid) : 0;
  if (!pid || !sessions.Send(*pid, input))
    return ErrorText("Error: Failed to send input to process " + PidText(arguments) +
                     ". The process may have exited or doesn't accept input.");
  const std::string number = std::to_string(*pid);
  if (!arguments.Flag("wait_for_prompt", true))
    return Text("✅ Input sent to process " + number +
                ". Use read_process_output to get the response.");
  Watch watch(sessions, *pid, DeadlineOf(arguments, 8000), context);
  OutputTail said;
  const auto reason = watch.Go(seen, Listening(sessions, *pid, said), true);
  if (auto end = sessions.ResultOf(*pid); reason == Watch::Reason::kEnded && end)
    return Text(RenderInteraction(RenderEnd(*end),
                                  "\n✅ Process " + number + " has finished execution", *pid));
  said.Add(sessions.TakeUnread(*pid));
  std::string status = "\n⏱️ Response may be incomplete (timeout reached)";
  if (reason != Watch::Reason::kTime)
    status = (watch.state().waiting ? "\n🔄 " : "\n✅ ") + DescribeState(watch.state(), *pid);
  return Text(RenderInteraction(WithoutPrompts(said.Text(), input), status, *pid));
}

ToolResult TerminateTool(Commander& commander, const Arguments& arguments, const CallContext&) {
  const auto pid = PidOf(arguments);
  if (!pid || !commander.sessions.Terminate(*pid))
    return Text("No active session found for PID " + PidText(arguments));
  return Text("Successfully initiated termination of session " + std::to_string(*pid));
}

ToolResult ListSessionsTool(Commander& commander, const Arguments&, const CallContext&) {
  std::string text;
  for (const ListedSession& session : commander.sessions.List())
    text += (text.empty() ? "" : "\n") + std::string("PID: ") + std::to_string(session.pid) +
            ", Blocked: " + (session.blocked ? "true" : "false") +
            ", Runtime: " + std::to_string((session.runtime.count() + 500) / 1000) + "s";
  return Text(text.empty() ? "No active sessions" : text);
}

}  // namespace

void AddProcessTools(Binder& binder) {
  binder.On("start_process", StartProcessTool, Concurrency::kParallel);
  binder.On("read_process_output", ReadOutputTool, Concurrency::kParallel);
  binder.On("interact_with_process", InteractTool, Concurrency::kParallel);
  binder.On("force_terminate", TerminateTool, Concurrency::kParallel);
  binder.On("list_sessions", ListSessionsTool, Concurrency::kParallel);
}

}  // namespace viv::tools::commander
