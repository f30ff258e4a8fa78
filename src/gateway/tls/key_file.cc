#include "gateway/tls/key_file.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/errno_error.h"
#include "base/unique_fd.h"

namespace viv::gateway {
namespace {

constexpr std::size_t kKeyFileBytesMax = 64 << 10;

Status WriteAndSync(int file, std::string_view text, mode_t mode, const std::string& path) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(file, text.data(), text.size());
    if (wrote < 0) return FailErrno(ErrorCode::kUnavailable, "write " + path);
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  if (::fchmod(file, mode) != 0 || ::fsync(file) != 0)
    return FailErrno(ErrorCode::kUnavailable, "save " + path);
  return {};
}

}  // namespace

ZeroizedString::~ZeroizedString() {
  OPENSSL_cleanse(text_.data(), text_.size());
}

Status MakeKeyFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Fail(ErrorCode::kUnavailable, "make " + folder + ": " + error.message());
  if (::chmod(folder.c_str(), 0700) != 0)
    return FailErrno(ErrorCode::kUnavailable, "close " + folder + " to others");
  return {};
}

Result<std::optional<KeyFile>> ReadKeyFile(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::optional<KeyFile>();
  if (!file) return FailErrno(ErrorCode::kUnavailable, "open " + path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    return FailErrno(ErrorCode::kUnavailable, "look at " + path);
  std::string text(kKeyFileBytesMax, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0) return FailErrno(ErrorCode::kUnavailable, "read " + path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  std::optional<KeyFile> read(std::in_place);
  read->text = ZeroizedString(std::move(text));
  read->mode = status.st_mode & 07777;
  return read;
}

Status WriteKeyFile(const std::string& path, std::string_view text, mode_t mode) {
  const std::string fresh = path + ".new";
  if (::unlink(fresh.c_str()) != 0 && errno != ENOENT)
    return FailErrno(ErrorCode::kUnavailable, "remove " + fresh);
  {
    const UniqueFd file(
        ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return FailErrno(ErrorCode::kUnavailable, "make " + fresh);
    RETURN_IF_ERROR(WriteAndSync(file.get(), text, mode, fresh));
  }
  if (std::rename(fresh.c_str(), path.c_str()) != 0)
    return FailErrno(ErrorCode::kUnavailable, "replace " + path);
  const std::string folder = std::filesystem::path(path).parent_path();
  const UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::fsync(opened.get()) != 0)
    return FailErrno(ErrorCode::kUnavailable, "save " + folder);
  return {};
}

}  // namespace viv::gateway
