#pragma once
// The size of a box. Memory is 4 GiB for each core; a new box may have half as much or half as much
// again, and if only one of both is given, the other is derived from it. cpu_millicores beats
// vcpus.

#include <cstdint>
#include <optional>

#include "base/json.h"
#include "boxes/boxes.h"
#include "dialects/langsmith/checked.h"

namespace viv::langsmith {

struct SizeRequest {
  std::optional<std::int64_t> cpu_millicores;  // what vcpus said, when only that was given
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::int64_t> disk_bytes;
  bool empty() const { return !cpu_millicores && !memory_bytes && !disk_bytes; }
};

// The members vcpus, cpu_millicores, mem_bytes and fs_capacity_bytes of a body.
Checked<SizeRequest> ReadSizeRequest(const json::value& body);

struct Size {
  runtime::Limits limits;
  std::int64_t disk_bytes = 0;
};
inline constexpr std::int64_t kDefaultMillicores = 500;
inline constexpr std::int64_t kDefaultDiskBytes = 16LL << 30;

// Of a new box; what is not asked for is as the defaults say.
Checked<Size> SizeOfNew(const SizeRequest& request, std::int64_t disk_default = kDefaultDiskBytes);
// Of a box that has a size: only the largest allowed counts, and a disk does not shrink.
Checked<Size> Resized(const Size& now, const SizeRequest& request);

// The members of the same names, for answers; vcpus is rounded up.
void ShowSize(const runtime::Limits& limits, std::int64_t disk_bytes, json::object& box);

}  // namespace viv::langsmith
