#pragma once
// A folder as a tar.gz file. Its members are ".", "./a", "./a/b", sorted, and belong to the box's
// ordinary user. Links that lead out of the folder are skipped, because careful readers refuse the
// whole archive for one, and so is what is neither file nor folder nor link, and what cannot be
// read; each is reported to `report`. A file that shrinks meanwhile is filled up with zeros, one
// that grows is cut.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"

namespace viv::tools {

struct PackLimits {
  std::size_t entries_max = 1'000'000;
  std::uint64_t file_bytes_max = 16ULL << 30;  // a larger one, full of holes then, is left out
  std::uint64_t bytes_max = 64ULL << 30;
};

using SkipReporter = std::function<void(const std::string& sentence)>;
Status Pack(const std::string& folder,
            int output,
            const SkipReporter& report,
            PackLimits limits = {});

}  // namespace viv::tools
