#include "agent/files/file_copy.h"

#include <unistd.h>

#include <vector>

#include "agent/files/yield.h"

namespace viv::agent {
namespace {

constexpr std::size_t kCopyBatchBytes = 4 * 1024 * 1024;  // a few milliseconds
constexpr std::size_t kCopyBufferBytes = 256 * 1024;

ErrnoOr<std::size_t> CopyThroughMemory(int from, int to) {
  std::vector<char> buffer(kCopyBufferBytes);
  ssize_t got = ::read(from, buffer.data(), buffer.size());
  if (got < 0) return FailWithErrno();
  for (ssize_t at = 0; at < got;) {
    ssize_t written = ::write(to, buffer.data() + at, got - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FailWithErrno();
    at += written;
  }
  return static_cast<std::size_t>(got);
}

// How much was copied; 0 at the end. Some file systems know no copy_file_range, and some that do
// say "nothing left" of files whose size they do not tell.
ErrnoOr<std::size_t> CopyBatch(int from, int to) {
  ssize_t moved = ::copy_file_range(from, nullptr, to, nullptr, kCopyBatchBytes, 0);
  if (moved > 0) return static_cast<std::size_t>(moved);
  if (moved < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO)) return FailWithErrno();
  return CopyThroughMemory(from, to);
}

}  // namespace

Task<FileResult<void>> CopyContent(int from, int to, std::uint64_t& copied) {
  for (;;) {
    ErrnoOr<std::size_t> batch = CopyBatch(from, to);
    if (!batch && batch.error() == EINTR) continue;
    if (!batch && (batch.error() == ENOSPC || batch.error() == EDQUOT)) {
      co_return FailFileWith(batch.error(), "not enough disk space available");
    }
    if (!batch) co_return FailFile(batch.error(), "error copying file");
    if (*batch == 0) co_return FileResult<void>();
    copied += *batch;
    co_await Yield();
  }
}

}  // namespace viv::agent
