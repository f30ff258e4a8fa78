// Boxes as folders of an XFS image: each is a project of its own with a limit, and sealing copies
// the tree, sharing the data of its files.

#include <fcntl.h>
#include <linux/dqblk_xfs.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/quota.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "base/errno_error.h"
#include "storage/box_storage_base.h"
#include "storage/image.h"
#include "storage/tree.h"

namespace viv::storage {
namespace {

constexpr std::uint64_t kQuotaBlockBytes = 512;
constexpr int kProjectQuota = 2;  // PRJQUOTA
// XFS quotas do not count inodes, half a kilobyte each: without a limit on their number empty files
// would fill the image. Few trees have files that are smaller on average.
constexpr std::uint64_t kBytesPerFile = 4096;

Status CallQuota(int root, int command, std::uint32_t project, fs_disk_quota* quota) {
  if (syscall(SYS_quotactl_fd, root, QCMD(command, kProjectQuota), project, quota) != 0)
    return FailErrno("quota of project " + std::to_string(project));
  return {};
}

Result<std::uint32_t> ReadProject(int folder) {
  fsxattr attributes{};
  if (ioctl(folder, FS_IOC_FSGETXATTR, &attributes) != 0) return FailErrno("read the project");
  return attributes.fsx_projid;
}

class XfsStorage final : public BoxStorageBase {
 public:
  explicit XfsStorage(ImagePaths paths)
      : BoxStorageBase(paths.mount_point), paths_(std::move(paths)) {}
  ~XfsStorage() override { StopCleaning(); }

  Status Start() {
    RETURN_IF_ERROR(OpenFolders());
    fs_disk_quota quota{};
    RETURN_IF_ERROR(CallQuota(root_fd(), Q_XGETQUOTA, 0, &quota), "find XFS project quotas");
    // Also of what is not freed yet: a new box must not pay for it.
    std::error_code ignored;
    for (const auto& entry :
         std::filesystem::directory_iterator(paths_.mount_point + "/boxes", ignored)) {
      const UniqueFd folder(open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (!folder) continue;
      ASSIGN_OR_RETURN(const std::uint32_t project, ReadProject(folder.get()));
      last_project_ = std::max(last_project_.load(), project);
    }
    StartCleaning();
    return {};
  }

  std::string kind() const override { return "XFS image"; }
  bool has_limits() const override { return true; }

 protected:
  Status MakeFolder(int parent, const std::string& name) override {
    if (mkdirat(parent, name.c_str(), 0755) != 0) return FailErrno("make folder");
    return {};
  }

  Status LimitFolder(int folder, std::int64_t limit_bytes) override {
    ASSIGN_OR_RETURN(std::uint32_t project, ReadProject(folder));
    if (project == 0) {  // a new folder: what is made in it inherits its project
      project = ++last_project_;
      fsxattr attributes{};
      attributes.fsx_projid = project;
      attributes.fsx_xflags = FS_XFLAG_PROJINHERIT;
      if (ioctl(folder, FS_IOC_FSSETXATTR, &attributes) != 0) return FailErrno("set the project");
    }
    fs_disk_quota quota{};
    quota.d_version = FS_DQUOT_VERSION;
    quota.d_id = project;
    quota.d_flags = FS_PROJ_QUOTA;
    quota.d_fieldmask = FS_DQ_BHARD | FS_DQ_BSOFT | FS_DQ_IHARD | FS_DQ_ISOFT;
    quota.d_blk_hardlimit = static_cast<std::uint64_t>(limit_bytes) / kQuotaBlockBytes;
    quota.d_blk_softlimit = quota.d_blk_hardlimit;
    quota.d_ino_hardlimit = static_cast<std::uint64_t>(limit_bytes) / kBytesPerFile;
    quota.d_ino_softlimit = quota.d_ino_hardlimit;
    return CallQuota(root_fd(), Q_XSETQLIM, project, &quota);
  }

  Result<DiskUsage> ReadFolder(int folder) override {
    ASSIGN_OR_RETURN(const std::uint32_t project, ReadProject(folder));
    fs_disk_quota quota{};
    RETURN_IF_ERROR(CallQuota(root_fd(), Q_XGETQUOTA, project, &quota));
    return DiskUsage{
        .used_bytes = static_cast<std::int64_t>(quota.d_bcount * kQuotaBlockBytes),
        .limit_bytes = static_cast<std::int64_t>(quota.d_blk_hardlimit * kQuotaBlockBytes)};
  }

  Status CopyFolder(int folder, int parent, const std::string& name) override {
    return CopyTreeAtomically(folder, parent, name);
  }
  Status DestroyFolder(int parent, const std::string& name) override {
    return RemoveTree(parent, name);
  }
  Status UnmountRoot() override { return UnmountImage(paths_); }

 private:
  const ImagePaths paths_;
  std::atomic<std::uint32_t> last_project_ = 0;
};

}  // namespace

Result<std::unique_ptr<BoxStorage>> OpenXfs(const std::string& directory) {
  ImagePaths paths{directory + "/store.img", directory + "/mnt"};
  auto storage = std::make_unique<XfsStorage>(std::move(paths));
  RETURN_IF_ERROR(storage->Start());
  return std::unique_ptr<BoxStorage>(std::move(storage));
}

}  // namespace viv::storage
