// Boxes as subvolumes of a btrfs image: a quota group limits each, and a snapshot makes a layer of
// it at once.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/errno_error.h"
#include "storage/box_storage_base.h"
#include "storage/btrfs.h"
#include "storage/image.h"

namespace viv::storage {
namespace {

// A file of sysfs that holds one number; "none" is a limit that was not set.
Result<std::int64_t> ReadSysfsNumber(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return FailErrno("open " + path);
  char text[32];
  const ssize_t size = read(file.get(), text, sizeof text);
  if (size < 0) return FailErrno("read " + path);
  std::int64_t number = 0;
  std::from_chars(text, text + size, number);
  return number;
}

class BtrfsStorage final : public BoxStorageBase {
 public:
  explicit BtrfsStorage(ImagePaths paths)
      : BoxStorageBase(paths.mount_point), paths_(std::move(paths)) {}
  ~BtrfsStorage() override { StopCleaning(); }

  Status Start() {
    RETURN_IF_ERROR(OpenFolders());
    if (!btrfs::EnableQuotas(root_fd(), btrfs::Quotas::kSimple))
      RETURN_IF_ERROR(btrfs::EnableQuotas(root_fd(), btrfs::Quotas::kFull));
    ASSIGN_OR_RETURN(groups_, btrfs::QuotaGroupsFolder(root_fd()));
    if (access(groups_.c_str(), F_OK) != 0)
      return Fail(ErrorCode::kUnavailable, "this kernel counts no btrfs quotas");
    // What an image has it keeps, whichever was asked for; kernels that know one kind only say
    // none.
    std::string mode;
    std::getline(std::ifstream(groups_ + "/mode"), mode);
    has_simple_quotas_ = mode == "squota";
    RemoveOrphanedGroups();
    StartCleaning();
    return {};
  }

  std::string kind() const override {
    return has_simple_quotas_ ? "btrfs image with simple quotas" : "btrfs image with full quotas";
  }
  bool has_limits() const override { return true; }

 protected:
  Status MakeFolder(int parent, const std::string& name) override {
    return btrfs::MakeSubvolume(parent, name);
  }

  Status LimitFolder(int folder, std::int64_t limit_bytes) override {
    ASSIGN_OR_RETURN(const std::uint64_t id, btrfs::SubvolumeId(folder));
    return btrfs::SetLimit(root_fd(), id, limit_bytes);
  }

  Result<DiskUsage> ReadFolder(int folder) override {
    ASSIGN_OR_RETURN(const std::uint64_t id, btrfs::SubvolumeId(folder));
    const std::string group = GroupFolder(id);
    DiskUsage usage;
    ASSIGN_OR_RETURN(usage.used_bytes, ReadSysfsNumber(group + "/referenced"));
    ASSIGN_OR_RETURN(usage.limit_bytes, ReadSysfsNumber(group + "/max_referenced"));
    return usage;
  }

  Status CopyFolder(int folder, int parent, const std::string& name) override {
    return btrfs::MakeReadOnlySnapshot(folder, parent, name);
  }

  Status DestroyFolder(int parent, const std::string& name) override {
    const UniqueFd folder(openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const auto id = btrfs::SubvolumeId(folder.get());
    RETURN_IF_ERROR(btrfs::DestroySubvolume(parent, name));
    if (id) gone_.push_back(*id);
    return {};
  }

  // Kernels before 6.11 keep the quota group of a subvolume that is gone. It can go when the kernel
  // has freed what was in it, some commits later, so in one of the next rounds.
  void AfterCleaning() override {
    for (std::size_t left = std::min(gone_.size(), kGroupsPerRound); left > 0; --left) {
      const std::uint64_t id = gone_.front();
      gone_.pop_front();
      const auto referenced = ReadSysfsNumber(GroupFolder(id) + "/referenced");
      if (!referenced) continue;  // it went by itself
      if (*referenced != 0 || !btrfs::RemoveQuotaGroup(root_fd(), id)) gone_.push_back(id);
    }
  }

  void Trim() override { btrfs::Trim(root_fd(), kTrimBytesMin); }

  Status UnmountRoot() override { return UnmountImage(paths_); }

 private:
  std::string GroupFolder(std::uint64_t id) const { return groups_ + "/0_" + std::to_string(id); }

  // Those that an earlier server left. Only now, while nobody makes new ones, can they be told from
  // a group that is about to be used.
  void RemoveOrphanedGroups() {
    std::set<std::uint64_t> used;
    for (const char* parent : {"boxes", "layers"}) {
      std::error_code ignored;
      const std::string folder = paths_.mount_point + "/" + parent;
      for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        const UniqueFd fd(open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (const auto id = btrfs::SubvolumeId(fd.get())) used.insert(*id);
      }
    }
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(groups_, ignored)) {
      const std::string name = entry.path().filename();
      std::uint64_t id = 0;
      if (!name.starts_with("0_")) continue;
      std::from_chars(name.data() + 2, name.data() + name.size(), id);
      if (id < kFirstSubvolume || used.contains(id)) continue;
      const auto referenced = ReadSysfsNumber(entry.path() / "referenced");
      // A group whose extents live on in a layer is still needed to count them.
      if (referenced && *referenced == 0) (void)btrfs::RemoveQuotaGroup(root_fd(), id);
    }
  }

  static constexpr std::uint64_t kFirstSubvolume = 256;
  static constexpr std::size_t kGroupsPerRound = 256;
  static constexpr std::uint64_t kTrimBytesMin = 256U << 10;  // smaller gaps are used again soon

  const ImagePaths paths_;
  std::string groups_;  // /sys/fs/btrfs/…/qgroups
  bool has_simple_quotas_ = false;
  std::deque<std::uint64_t> gone_;  // subvolumes that were destroyed; of the cleaning thread
};

}  // namespace

Result<std::unique_ptr<BoxStorage>> OpenBtrfs(const std::string& directory) {
  ImagePaths paths{directory + "/store.img", directory + "/mnt"};
  auto storage = std::make_unique<BtrfsStorage>(std::move(paths));
  RETURN_IF_ERROR(storage->Start());
  return std::unique_ptr<BoxStorage>(std::move(storage));
}

}  // namespace viv::storage
