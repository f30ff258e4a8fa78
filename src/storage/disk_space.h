#pragma once
// The free space for what boxes write: on the machine's disk, where the image takes space as it is
// used, and within the image. When the disk below the image is full, the image breaks for all
// boxes; so a part of the disk is kept in reserve.

#include <cstdint>
#include <string>

#include "base/result.h"

namespace viv::storage {

struct DiskSpace {
  std::int64_t host_bytes = 0;     // free on the disk that the image lies on
  std::int64_t reserve_bytes = 0;  // what must stay free there
  std::int64_t image_bytes = 0;    // free within the image
  bool is_writable = true;         // false: the kernel made the image read-only after an error

  // No new boxes start, and boxes that write are frozen.
  bool IsLow() const { return host_bytes < reserve_bytes; }
  // All boxes are frozen.
  bool IsCritical() const { return host_bytes < reserve_bytes / 2; }
  // Ends the low state, with a margin so that it does not begin again at once.
  bool IsAmple() const { return host_bytes >= reserve_bytes + reserve_bytes / 2; }
};

// A fiftieth of a disk of `disk_bytes`, but 32 MiB at least and 1 GiB at most.
std::int64_t DiskReserve(std::int64_t disk_bytes);

// `folder` is on the machine's disk, `mounted` where the image is.
Result<DiskSpace> ReadDiskSpace(const std::string& folder, const std::string& mounted);

// "the disk of this server is almost full: 12 MiB are free, of which 1024 MiB are kept in reserve"
std::string DescribeLowDisk(const DiskSpace& space);

}  // namespace viv::storage
