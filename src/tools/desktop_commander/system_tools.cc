// list_processes and kill_process, for all processes of the box; get_usage_stats and the feedback
// tool.

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "tools/desktop_commander/commander.h"
#include "tools/desktop_commander/walk.h"

namespace viv::tools::commander {
namespace {

constexpr std::size_t kProcessesMax = 5000;

std::string ReadProc(const std::string& name) {
  UniqueFd file(::open(("/proc/" + name).c_str(), O_RDONLY | O_CLOEXEC));
  return file ? ReadAll(file.get(), 64 << 10).value_or("") : "";
}

struct ProcStat {
  std::string name;
  double cpu_seconds = 0, started_seconds = 0, resident_bytes = 0;
};

// The name may contain anything, so the fields are counted from its closing parenthesis.
std::optional<ProcStat> ReadStat(const std::string& pid) {
  const std::string text = ReadProc(pid + "/stat");
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  const std::vector<std::string_view> fields =
      Split(Trim(std::string_view(text).substr(close + 1)), ' ');
  if (fields.size() < 22) return std::nullopt;
  const auto number = [&](std::size_t i) { return std::atof(std::string(fields[i]).c_str()); };
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return ProcStat{text.substr(open + 1, close - open - 1), (number(11) + number(12)) / ticks,
                  number(19) / ticks, number(21) * static_cast<double>(::sysconf(_SC_PAGESIZE))};
}

// The last word of the command line, as the tool has always shown it.
std::string CommandOf(const std::string& pid, const std::string& name) {
  std::string line = ReadProc(pid + "/cmdline");
  std::ranges::replace(line, '\0', ' ');
  const std::string_view text = Trim(line);
  if (text.empty()) return "[" + name + "]";
  const std::size_t space = text.find_last_of(" \t\n");
  return Printable(space == std::string_view::npos ? text : text.substr(space + 1));
}

std::string OneDecimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

ToolResult ListProcessesTool(Commander&, const Arguments&, const CallContext&) {
  auto entries = ReadFolder(UniqueFd(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  if (!entries) return ErrorText("Error: Failed to list processes: " + entries.error().message);
  std::vector<long> pids;
  for (const FolderEntry& entry : *entries)
    if (entry.name.find_first_not_of("0123456789") == std::string::npos)
      pids.push_back(std::atol(entry.name.c_str()));
  std::ranges::sort(pids);
  const double uptime = std::atof(ReadProc("uptime").c_str());
  const double memory =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  std::string text;
  for (std::size_t i = 0; i < std::min(pids.size(), kProcessesMax); ++i) {
    const std::string pid = std::to_string(pids[i]);
    const auto stat = ReadStat(pid);
    if (!stat) continue;  // it has ended
    const double lived = std::max(0.01, uptime - stat->started_seconds);
    text += (text.empty() ? "" : "\n") + std::string("PID: ") + pid +
            ", Command: " + CommandOf(pid, stat->name) +
            ", CPU: " + OneDecimal(100 * stat->cpu_seconds / lived) +
            ", Memory: " + OneDecimal(100 * stat->resident_bytes / std::max(1.0, memory));
  }
  return Text(std::move(text));
}

ToolResult KillProcessTool(Commander&, const Arguments& arguments, const CallContext&) {
  const std::int64_t pid = arguments.Integer("pid");
  const std::string failed = "Error: Failed to kill process: ";
  // Zero and less would mean groups of processes, this server's among them.
  if (pid <= 0 || pid > 0x7fffffff) return ErrorText(failed + "a process id is a positive number");
  if (pid == ::getpid()) return ErrorText(failed + "that is this server itself");
  if (::kill(static_cast<pid_t>(pid), SIGTERM) != 0)
    return ErrorText(failed + "kill " +
                     (errno == ESRCH   ? "ESRCH"
                      : errno == EPERM ? "EPERM"
                                       : std::strerror(errno)));
  return Text("Successfully terminated process " + std::to_string(pid));
}

ToolResult UsageTool(Commander& commander, const Arguments&, const CallContext&) {
  return Text(commander.usage.Summary());
}

ToolResult FeedbackTool(Commander&, const Arguments&, const CallContext&) {
  return Text(
      "⚠️ **Couldn't open browser automatically**\n\nThis sandbox has no browser and sends no "
      "feedback. Tell the operator of the sandbox what you would like to report.");
}

}  // namespace

void AddSystemTools(Binder& binder) {
  binder.On("list_processes", ListProcessesTool);
  binder.On("kill_process", KillProcessTool);
  binder.On("get_usage_stats", UsageTool);
  binder.On("give_feedback_to_desktop_commander", FeedbackTool);
}

}  // namespace viv::tools::commander
