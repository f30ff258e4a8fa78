#include "runtime/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>

#include "base/text.h"
#include "runtime/launcher.h"

namespace viv::runtime {

Result<std::uint64_t> ParseStartTime(std::string_view stat) {
  // The second field is the program's name in parentheses and may hold anything, also parentheses:
  // the rest begins after the last one.
  constexpr std::size_t kFieldAfterName = 3, kStartTimeField = 22;
  auto broken = Fail(ErrorCode::kInternal, "read /proc/PID/stat: unknown form");
  std::size_t end = stat.rfind(") ");
  if (end == std::string_view::npos) return broken;
  auto fields = Split(stat.substr(end + 2), ' ');
  if (fields.size() <= kStartTimeField - kFieldAfterName) return broken;
  std::string_view text = fields[kStartTimeField - kFieldAfterName];
  std::uint64_t time = 0;
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), time);
  if (error != std::errc() || stop != text.data() + text.size()) return broken;
  return time;
}

Result<std::uint64_t> ReadStartTime(pid_t pid) {
  std::string path = "/proc/" + std::to_string(pid) + "/stat";
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char text[4096];
  ssize_t size = file ? ::read(file.get(), text, sizeof text) : -1;
  if (size <= 0) return Fail(ErrorCode::kNotFound, "process " + std::to_string(pid) + " is gone");
  return ParseStartTime({text, static_cast<std::size_t>(size)});
}

Result<UniqueFd> OpenProcess(pid_t pid, std::uint64_t start_time) {
  auto gone = Fail(ErrorCode::kNotFound, "process " + std::to_string(pid) + " is gone");
  if (pid <= 0) return gone;
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd && errno != ESRCH) {
    return Fail(ErrorCode::kUnavailable,
                "open process " + std::to_string(pid) + ": " + std::strerror(errno));
  }
  if (!pidfd) return gone;
  // Read after the pidfd was taken: should the number be given to another in between, the time is
  // another as well.
  auto now = ReadStartTime(pid);
  if (!now || *now != start_time) return gone;
  // It may have ended without anyone having asked how.
  pollfd ended{pidfd.get(), POLLIN, 0};
  if (::poll(&ended, 1, 0) != 0) return gone;
  return pidfd;
}

}  // namespace viv::runtime
