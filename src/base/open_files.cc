#include "base/open_files.h"

#include <sys/resource.h>

#include <algorithm>

namespace viv {
namespace {

constexpr rlim_t kOpenFilesWanted = 1 << 20;

}  // namespace

std::uint64_t OpenFilesMax() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return std::max(limit.rlim_cur, std::min(limit.rlim_max, kOpenFilesWanted));
}

std::uint64_t RaiseOpenFileLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = OpenFilesMax();
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before;
}

}  // namespace viv
