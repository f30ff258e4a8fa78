#include "storage/btrfs.h"

#include <linux/btrfs.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>

#include <cstring>

#include "base/errno_error.h"
#include "base/log.h"

namespace viv::storage::btrfs {
namespace {

constexpr std::uint64_t kEnableFullQuotas = 1;
constexpr std::uint64_t kEnableSimpleQuotas = 4;  // since Linux 6.7, missing in older headers
constexpr std::uint64_t kFirstFreeObject = 256;   // every subvolume's root folder

Result<btrfs_ioctl_vol_args_v2> NamedSubvolume(const std::string& name) {
  btrfs_ioctl_vol_args_v2 arguments{};
  if (name.empty() || name.size() >= sizeof arguments.name)
    return Fail(ErrorCode::kInvalidArgument, "the name of a subvolume is too long: " + name);
  std::memcpy(arguments.name, name.c_str(), name.size());
  return arguments;
}

}  // namespace

Status EnableQuotas(int root, Quotas quotas) {
  btrfs_ioctl_quota_ctl_args arguments{};
  arguments.cmd = quotas == Quotas::kSimple ? kEnableSimpleQuotas : kEnableFullQuotas;
  if (ioctl(root, BTRFS_IOC_QUOTA_CTL, &arguments) != 0 && errno != EEXIST)
    return FailErrno(quotas == Quotas::kSimple ? "enable simple quotas" : "enable quotas");
  return {};
}

Status MakeSubvolume(int parent, const std::string& name) {
  ASSIGN_OR_RETURN(auto arguments, NamedSubvolume(name));
  if (ioctl(parent, BTRFS_IOC_SUBVOL_CREATE_V2, &arguments) != 0)
    return FailErrno("make subvolume " + name);
  return {};
}

Status MakeReadOnlySnapshot(int source, int parent, const std::string& name) {
  ASSIGN_OR_RETURN(auto arguments, NamedSubvolume(name));
  arguments.fd = source;
  arguments.flags = BTRFS_SUBVOL_RDONLY;
  if (ioctl(parent, BTRFS_IOC_SNAP_CREATE_V2, &arguments) != 0)
    return FailErrno("make snapshot " + name);
  return {};
}

Status DestroySubvolume(int parent, const std::string& name) {
  ASSIGN_OR_RETURN(auto arguments, NamedSubvolume(name));
  if (ioctl(parent, BTRFS_IOC_SNAP_DESTROY_V2, &arguments) != 0)
    return FailErrno("remove subvolume " + name);
  return {};
}

Result<std::uint64_t> SubvolumeId(int subvolume) {
  btrfs_ioctl_ino_lookup_args arguments{};
  arguments.objectid = kFirstFreeObject;
  if (ioctl(subvolume, BTRFS_IOC_INO_LOOKUP, &arguments) != 0)
    return FailErrno("read a subvolume's number");
  return arguments.treeid;
}

Status SetLimit(int root, std::uint64_t subvolume_id, std::int64_t bytes) {
  btrfs_ioctl_qgroup_limit_args arguments{};
  arguments.qgroupid = subvolume_id;
  arguments.lim.flags = BTRFS_QGROUP_LIMIT_MAX_RFER;
  arguments.lim.max_rfer = static_cast<std::uint64_t>(bytes);
  if (ioctl(root, BTRFS_IOC_QGROUP_LIMIT, &arguments) != 0)
    return FailErrno("limit subvolume " + std::to_string(subvolume_id));
  return {};
}

Status RemoveQuotaGroup(int root, std::uint64_t subvolume_id) {
  btrfs_ioctl_qgroup_create_args arguments{};
  arguments.create = 0;
  arguments.qgroupid = subvolume_id;
  if (ioctl(root, BTRFS_IOC_QGROUP_CREATE, &arguments) != 0 && errno != ENOENT)
    return FailErrno("remove quota group 0/" + std::to_string(subvolume_id));
  return {};
}

void Trim(int root, std::uint64_t bytes_min) {
  // After an error the kernel's notion of what is free is not to be trusted.
  struct statvfs status {};
  if (fstatvfs(root, &status) != 0 || (status.f_flag & ST_RDONLY) != 0) return;
  fstrim_range range{};
  range.len = ~std::uint64_t{0};
  range.minlen = bytes_min;
  if (ioctl(root, FITRIM, &range) != 0 && errno != EOPNOTSUPP)
    log::Warn("storage.not_trimmed", {{"error", ErrnoMessage(errno)}});
}

Result<std::string> QuotaGroupsFolder(int root) {
  btrfs_ioctl_fs_info_args info{};
  if (ioctl(root, BTRFS_IOC_FS_INFO, &info) != 0) return FailErrno("read the file system's id");
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string uuid;
  for (std::size_t i = 0; i < sizeof info.fsid; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) uuid += '-';
    uuid += kDigits[info.fsid[i] >> 4];
    uuid += kDigits[info.fsid[i] & 15];
  }
  return "/sys/fs/btrfs/" + uuid + "/qgroups";
}

}  // namespace viv::storage::btrfs
