#include "runtime/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <string>

#include "base/errno_error.h"
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

namespace {

Result<std::string> ReadProcessFile(pid_t pid, const char* name) {
  std::string path = "/proc/" + std::to_string(pid) + "/" + name;
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(4096, '\0');
  ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : -1;
  if (size <= 0) return Fail(ErrorCode::kNotFound, "process " + std::to_string(pid) + " is gone");
  text.resize(static_cast<std::size_t>(size));
  return text;
}

// The number in field `index` of the line that begins with `key`; fields are apart by white space.
template <typename Number>
std::optional<Number> FieldOf(std::string_view text, std::string_view key, std::size_t index) {
  for (std::string_view line : Split(text, '\n')) {
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    for (std::size_t field = 0;; ++field) {
      std::size_t begin = line.find_first_not_of(" \t");
      if (begin == std::string_view::npos) return std::nullopt;
      line.remove_prefix(begin);
      std::string_view word = line.substr(0, line.find_first_of(" \t"));
      line.remove_prefix(word.size());
      if (field < index) continue;
      Number number = 0;
      auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
      if (error != std::errc() || stop != word.data() + word.size()) return std::nullopt;
      return number;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::uint64_t> ReadStartTime(pid_t pid) {
  ASSIGN_OR_RETURN(std::string stat, ReadProcessFile(pid, "stat"));
  return ParseStartTime(stat);
}

Result<uid_t> ParseUser(std::string_view status) {
  auto user = FieldOf<uid_t>(status, "Uid:", 1);
  if (!user) return Fail(ErrorCode::kInternal, "read /proc/PID/status: unknown form");
  return *user;
}

Result<uid_t> ReadUser(pid_t pid) {
  ASSIGN_OR_RETURN(std::string status, ReadProcessFile(pid, "status"));
  return ParseUser(status);
}

Result<std::uint64_t> ParseBytesWritten(std::string_view io) {
  auto bytes = FieldOf<std::uint64_t>(io, "write_bytes:", 0);
  if (!bytes) return Fail(ErrorCode::kInternal, "read /proc/PID/io: unknown form");
  return *bytes;
}

Result<std::uint64_t> ReadBytesWritten(pid_t pid) {
  ASSIGN_OR_RETURN(std::string io, ReadProcessFile(pid, "io"));
  return ParseBytesWritten(io);
}

Result<UniqueFd> OpenProcess(pid_t pid, std::uint64_t start_time) {
  auto gone = Fail(ErrorCode::kNotFound, "process " + std::to_string(pid) + " is gone");
  if (pid <= 0) return gone;
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd && errno != ESRCH) {
    return FailErrno(ErrorCode::kUnavailable, "open process " + std::to_string(pid));
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
