#include "storage/box_storage.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/errno_error.h"
#include "base/log.h"
#include "storage/box_storage_base.h"
#include "storage/image.h"

namespace viv::storage {
namespace {

Result<std::unique_ptr<BoxStorage>> OpenKind(const std::string& directory, ImageKind kind) {
  return kind == ImageKind::kBtrfs ? OpenBtrfs(directory) : OpenXfs(directory);
}

// What is there must work: a new image beside it would silently lose what boxes had stored.
Result<std::unique_ptr<BoxStorage>> OpenExisting(const StorageOptions& options,
                                                 const ImagePaths& paths) {
  ASSIGN_OR_RETURN(const ImageKind kind, ReadImageKind(paths.image));
  Status mounted = MountImage(paths, kind);
  if (mounted && IsImageBroken(paths)) mounted = ReopenImage(paths, kind, options.kill_users);
  if (!mounted) {
    return Fail(
        ErrorCode::kUnavailable,
        mounted.error().message +
            ". If the image is damaged, repair it (btrfs check, xfs_repair) or move it away "
            "and start again; what boxes had stored in it is not in the new one");
  }
  return OpenKind(options.directory, kind);
}

Result<std::unique_ptr<BoxStorage>> OpenNew(const StorageOptions& options,
                                            const ImagePaths& paths,
                                            ImageKind kind) {
  RETURN_IF_ERROR(FormatImage(paths.image, kind, options.image_bytes));
  auto open = [&]() -> Result<std::unique_ptr<BoxStorage>> {
    RETURN_IF_ERROR(MountImage(paths, kind));
    return OpenKind(options.directory, kind);
  };
  auto opened = open();
  if (!opened) {  // it is empty: nothing is lost with it
    (void)UnmountImage(paths);
    unlink(paths.image.c_str());
  }
  return opened;
}

}  // namespace

Result<std::unique_ptr<BoxStorage>> BoxStorage::Open(StorageOptions options) {
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  if (error)
    return Fail(ErrorCode::kInternal, "make " + options.directory + ": " + error.message());
  options.directory = std::filesystem::canonical(options.directory, error);
  // Files of a box have the ids that the box sees, so that no other user of this machine may reach
  // them.
  if (error || chmod(options.directory.c_str(), 0700) != 0)
    return FailErrno("close " + options.directory);
  const ImagePaths paths{options.directory + "/store.img", options.directory + "/mnt"};

  if (access(paths.image.c_str(), F_OK) == 0) return OpenExisting(options, paths);
  if (options.accept_no_limit && access((options.directory + "/folder").c_str(), F_OK) == 0)
    return OpenFolder(options.directory);
  std::string reasons;
  for (const ImageKind kind : {ImageKind::kBtrfs, ImageKind::kXfs}) {
    auto opened = OpenNew(options, paths, kind);
    if (opened) return opened;
    reasons += (reasons.empty() ? "" : "; ") + opened.error().message;
  }
  if (options.accept_no_limit) {
    log::Warn("storage.without_limits", {{"reason", reasons}});
    return OpenFolder(options.directory);
  }
  return Fail(
      ErrorCode::kUnavailable,
      "nothing here can limit what a box stores (" + reasons +
          "). Either run as root with btrfs-progs on a kernel that has btrfs quotas, or "
          "xfsprogs and XFS project quotas, and 400 MiB free; or accept that a box may fill "
          "the disk (accept_no_limit)");
}

}  // namespace viv::storage
