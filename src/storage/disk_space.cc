#include "storage/disk_space.h"

#include <sys/statvfs.h>

#include <algorithm>

#include "base/errno_error.h"

namespace viv::storage {
namespace {

constexpr std::int64_t kReserveShare = 50;
constexpr std::int64_t kReserveMin = 32LL << 20;
constexpr std::int64_t kReserveMax = 1LL << 30;

std::int64_t BytesOf(fsblkcnt_t blocks, const struct statvfs& disk) {
  return static_cast<std::int64_t>(blocks) * static_cast<std::int64_t>(disk.f_frsize);
}

}  // namespace

std::int64_t DiskReserve(std::int64_t disk_bytes) {
  return std::clamp(disk_bytes / kReserveShare, kReserveMin, kReserveMax);
}

Result<DiskSpace> ReadDiskSpace(const std::string& folder, const std::string& mounted) {
  struct statvfs host {
  }, image{};
  if (statvfs(folder.c_str(), &host) != 0) return FailErrno("read the free space of " + folder);
  if (statvfs(mounted.c_str(), &image) != 0) return FailErrno("read the free space of " + mounted);
  DiskSpace space;
  space.host_bytes = BytesOf(host.f_bavail, host);
  space.reserve_bytes = DiskReserve(BytesOf(host.f_blocks, host));
  space.image_bytes = BytesOf(image.f_bavail, image);
  space.is_writable = (image.f_flag & ST_RDONLY) == 0;
  return space;
}

std::string DescribeLowDisk(const DiskSpace& space) {
  auto mebibytes = [](std::int64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; };
  return "the disk of this server is almost full: " + mebibytes(std::max(space.host_bytes, {})) +
         " are free, and " + mebibytes(space.reserve_bytes) + " are kept in reserve";
}

}  // namespace viv::storage
