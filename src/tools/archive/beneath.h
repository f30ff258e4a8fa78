#pragma once
// Opening what lies below a folder, and nothing else: no link is followed on the way.

#include <linux/openat2.h>
#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::tools {

constexpr std::uint64_t kNoLinks = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;

// Empty with errno set when that fails. `path` is relative; "" is the folder itself.
UniqueFd OpenBeneath(int folder,
                     const std::string& path,
                     int flags,
                     mode_t mode = 0,
                     std::uint64_t resolve = kNoLinks);

// errno as an Error: kLimitExceeded for a full disk, else kInternal.
tl::unexpected<Error> FailArchiveCall(const std::string& doing, int error);

}  // namespace viv::tools
