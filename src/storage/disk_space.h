#pragma once
// How much room there is for what boxes write: on the machine's disk, where the image takes space
// as it is used, and within the image. A disk that runs full below the image breaks it for all
// boxes, so a part of it is kept in reserve.

#include <cstdint>
#include <string>

#include "base/result.h"

namespace viv::storage {

struct DiskSpace {
  std::int64_t host_bytes = 0;     // free on the disk that the image lies on
  std::int64_t reserve_bytes = 0;  // what shall stay free there
  std::int64_t image_bytes = 0;    // free within the image
  bool is_writable = true;         // false: the kernel closed the image after an error

  // Nothing new begins, and whoever writes stands still.
  bool IsLow() const { return host_bytes < reserve_bytes; }
  // Nobody writes any more.
  bool IsCritical() const { return host_bytes < reserve_bytes / 2; }
  // After it was low: it is not low again at once.
  bool IsAmple() const { return host_bytes >= reserve_bytes + reserve_bytes / 2; }
};

// A fiftieth of a disk of `disk_bytes`, but 32 MiB at least and 1 GiB at most.
std::int64_t DiskReserve(std::int64_t disk_bytes);

// `folder` is on the machine's disk, `mounted` where the image is.
Result<DiskSpace> ReadDiskSpace(const std::string& folder, const std::string& mounted);

// "the disk of this server is almost full: 12 MiB are free, of which 1024 MiB are kept in reserve"
std::string DescribeLowDisk(const DiskSpace& space);

}  // namespace viv::storage
