#include "agent/files/file_copy.h"

#include <unistd.h>

#include <vector>

#include "agent/files/breathe.h"

namespace viv::agent {
namespace {

constexpr std::size_t kCopyBatchBytes = 4 * 1024 * 1024;  // a few milliseconds
constexpr std::size_t kCopyBufferBytes = 256 * 1024;

Sys<std::size_t> CopyThroughMemory(int from, int to) {
  std::vector<char> buffer(kCopyBufferBytes);
  ssize_t got = ::read(from, buffer.data(), buffer.size());
  if (got < 0) return SysFail();
  for (ssize_t at = 0; at < got;) {
    ssize_t written = ::write(to, buffer.data() + at, got - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SysFail();
    at += written;
  }
  return static_cast<std::size_t>(got);
}

// How much was copied; 0 at the end. Some file systems know no copy_file_range, and some that do
// say "nothing left" of files whose size they do not tell.
Sys<std::size_t> CopyBatch(int from, int to) {
  ssize_t moved = ::copy_file_range(from, nullptr, to, nullptr, kCopyBatchBytes, 0);
  if (moved > 0) return static_cast<std::size_t>(moved);
  if (moved < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO)) return SysFail();
  return CopyThroughMemory(from, to);
}

}  // namespace

Task<Outcome<void>> CopyContent(int from, int to, std::uint64_t& copied) {
  for (;;) {
    Sys<std::size_t> batch = CopyBatch(from, to);
    if (!batch && batch.error() == EINTR) continue;
    if (!batch && (batch.error() == ENOSPC || batch.error() == EDQUOT)) {
      co_return Refused(batch.error(), "not enough disk space available");
    }
    if (!batch) co_return Failed(batch.error(), "error copying file");
    if (*batch == 0) co_return Outcome<void>();
    copied += *batch;
    co_await LetOthersRun();
  }
}

}  // namespace viv::agent
