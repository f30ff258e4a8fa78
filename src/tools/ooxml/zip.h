#pragma once
// Zip archives in memory, read within limits and written deterministically: the same entries give
// the same bytes.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace viv::tools::ooxml {

struct ZipEntry {
  std::string name;
  std::string bytes;
};

struct ZipLimits {
  std::size_t entries_max = 4096;
  std::uint64_t entry_bytes_max = 128 << 20;
  std::uint64_t total_bytes_max = 256 << 20;
  std::uint64_t ratio_max = 300;  // unpacked to packed, of entries above ratio_from_bytes
  std::uint64_t ratio_from_bytes = 4 << 20;
};

// Folders are left out. kInvalidArgument for what is no zip, is damaged, encrypted, or names an
// entry twice or outside; kLimitExceeded for one that is too much.
Result<std::vector<ZipEntry>> ReadZip(std::string_view bytes, const ZipLimits& limits);

struct ZipSource {
  std::string_view name;
  std::string_view bytes;
};
Result<std::string> WriteZip(const std::vector<ZipSource>& entries);

}  // namespace viv::tools::ooxml
