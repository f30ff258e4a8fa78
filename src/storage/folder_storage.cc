// Boxes as plain folders, for machines where nothing can limit them and the operator accepted that.

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <filesystem>

#include "base/errno_error.h"
#include "storage/box_storage_base.h"
#include "storage/tree.h"

namespace viv::storage {
namespace {

class FolderStorage final : public BoxStorageBase {
 public:
  explicit FolderStorage(std::string root) : BoxStorageBase(std::move(root)) {}
  ~FolderStorage() override { StopCleaning(); }

  Status Start() {
    RETURN_IF_ERROR(OpenFolders());
    StartCleaning();
    return {};
  }

  std::string kind() const override { return "folder"; }
  bool has_limits() const override { return false; }

 protected:
  Status MakeFolder(int parent, const std::string& name) override {
    if (mkdirat(parent, name.c_str(), 0755) != 0) return FailErrno("make folder");
    return {};
  }
  Status LimitFolder(int, std::int64_t) override { return {}; }

  // A folder's bytes are not counted here; a box can fill the whole disk.
  Result<DiskUsage> ReadFolder(int folder) override {
    struct statvfs disk {};
    if (fstatvfs(folder, &disk) != 0) return FailErrno("read the disk's usage");
    const auto unit = static_cast<std::int64_t>(disk.f_frsize);
    return DiskUsage{.used_bytes = static_cast<std::int64_t>(disk.f_blocks - disk.f_bfree) * unit,
                     .limit_bytes = static_cast<std::int64_t>(disk.f_blocks) * unit};
  }

  Status CopyFolder(int folder, int parent, const std::string& name) override {
    return CopyTreeAtomically(folder, parent, name);
  }
  Status DestroyFolder(int parent, const std::string& name) override {
    return RemoveTree(parent, name);
  }
};

}  // namespace

Result<std::unique_ptr<BoxStorage>> OpenFolder(const std::string& directory) {
  const std::string root = directory + "/folder";
  std::error_code error;
  std::filesystem::create_directories(root, error);
  if (error) return Fail(ErrorCode::kInternal, "make " + root + ": " + error.message());
  auto storage = std::make_unique<FolderStorage>(root);
  RETURN_IF_ERROR(storage->Start());
  return std::unique_ptr<BoxStorage>(std::move(storage));
}

}  // namespace viv::storage
