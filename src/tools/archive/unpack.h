#pragma once
// Reads a tar file, gzip or plain, into a folder: all of it, or nothing.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace viv::tools {

struct UnpackLimits {
  std::size_t entries_max = 200'000;
  std::uint64_t bytes_max = 16ULL << 30;  // of all files, holes too
};

struct Unpacked {
  std::size_t files = 0;  // and links
  std::uint64_t bytes = 0;
};

// kInvalidArgument for an archive that is no archive, damaged, or has no business here; kConflict
// for one that does not fit to what the folder has; kLimitExceeded for one that is too large.
Result<Unpacked> Unpack(int input, const std::string& folder, UnpackLimits limits = {});

}  // namespace viv::tools
