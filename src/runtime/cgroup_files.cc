#include "runtime/cgroup_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "base/errno_error.h"
#include "base/text.h"
#include "base/unique_fd.h"

namespace viv::runtime {
namespace {

constexpr std::size_t kKernelFileMax = 16U << 20;  // mountinfo of a machine full of mounts

tl::unexpected<Error> KernelFileError(const char* doing, const std::string& path) {
  ErrorCode code = errno == ENOENT || errno == ENODEV ? ErrorCode::kNotFound
                   : errno == EACCES || errno == EPERM || errno == EROFS
                       ? ErrorCode::kPermissionDenied
                       : ErrorCode::kUnavailable;
  return FailErrno(code, std::string(doing) + " " + path);
}

}  // namespace

Result<std::string> ReadKernelFile(int folder, const std::string& path) {
  UniqueFd file(::openat(folder, path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return KernelFileError("open", path);
  std::string text;
  char part[8192];
  for (;;) {
    ssize_t size = ::read(file.get(), part, sizeof part);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return KernelFileError("read", path);
    if (size == 0) return text;
    text.append(part, static_cast<std::size_t>(size));
    if (text.size() > kKernelFileMax)
      return Fail(ErrorCode::kLimitExceeded, "read " + path + ": too long");
  }
}

Status WriteKernelFile(int folder, const std::string& path, std::string_view text) {
  UniqueFd file(::openat(folder, path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return KernelFileError("open", path);
  ssize_t written;
  do written = ::write(file.get(), text.data(), text.size());
  while (written < 0 && errno == EINTR);
  if (written != static_cast<ssize_t>(text.size())) return KernelFileError("write", path);
  return {};
}

bool KernelFileExists(int folder, const std::string& path) {
  return ::faccessat(folder, path.c_str(), F_OK, 0) == 0;
}

std::optional<std::int64_t> ReadNumber(std::string_view text) {
  text = Trim(text);
  std::int64_t number = 0;
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> FindKeyed(std::string_view text, std::string_view key) {
  for (std::string_view line : Split(text, '\n')) {
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == ' ')
      return ReadNumber(line.substr(key.size() + 1));
  }
  return std::nullopt;
}

}  // namespace viv::runtime
