#include "storage/box_storage_base.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "base/errno_error.h"
#include "base/ids.h"
#include "base/log.h"
#include "storage/tree.h"

namespace viv::storage {
namespace {

constexpr std::size_t kNameMax = 100;
constexpr std::string_view kGonePrefix = ".gone-";
// The kernel frees what was removed at one of its next commits, which it makes every 30 seconds.
constexpr std::chrono::seconds kTrimAfterCleaning{65};
constexpr std::chrono::minutes kTrimEvery{10};
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Status CheckName(const std::string& name) {
  if (IsStorageName(name)) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "'" + name.substr(0, kNameMax) +
                  "' is no name for a folder of boxes: use up to 100 of a-z, 0-9 and -");
}

Result<UniqueFd> OpenOrMakeFolder(int parent, const char* name) {
  if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST)
    return FailErrno(std::string("make folder ") + name);
  UniqueFd folder(openat(parent, name, kFolderFlags));
  if (!folder) return FailErrno(std::string("open folder ") + name);
  return folder;
}

// The names that begin with `prefix`; those of boxes or layers where it is empty.
std::vector<std::string> ListNames(int parent, std::string_view prefix = {}) {
  std::vector<std::string> names;
  const int copy = openat(parent, ".", kFolderFlags);
  DIR* folder = copy >= 0 ? fdopendir(copy) : nullptr;
  if (folder == nullptr) {
    if (copy >= 0) close(copy);
    return names;
  }
  while (const dirent* entry = readdir(folder)) {
    const std::string name = entry->d_name;
    if (prefix.empty() ? IsStorageName(name) : name.starts_with(prefix)) names.push_back(name);
  }
  closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

bool IsStorageName(std::string_view name) {
  if (name.empty() || name.size() > kNameMax || name[0] == '-') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

BoxStorageBase::~BoxStorageBase() {
  StopCleaning();
}

Status BoxStorageBase::OpenFolders() {
  root_fd_ = UniqueFd(open(root_.c_str(), kFolderFlags));
  if (!root_fd_) return FailErrno("open " + root_);
  ASSIGN_OR_RETURN(boxes_, OpenOrMakeFolder(root_fd_.get(), "boxes"));
  ASSIGN_OR_RETURN(layers_, OpenOrMakeFolder(root_fd_.get(), "layers"));
  for (const std::string& name : ListNames(layers_.get(), kUnfinishedPrefix))
    RETURN_IF_ERROR(Discard(layers_.get(), name));
  return {};
}

void BoxStorageBase::StartCleaning() {
  cleaner_ = std::thread([this] { CleanUntilStopped(); });
}

void BoxStorageBase::StopCleaning() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (cleaner_.joinable()) cleaner_.join();
}

Result<UniqueFd> BoxStorageBase::OpenBox(const std::string& name) {
  RETURN_IF_ERROR(CheckName(name));
  UniqueFd folder(openat(boxes_.get(), name.c_str(), kFolderFlags));
  if (!folder) return FailErrno("open the folder of box " + name);
  return folder;
}

Result<std::string> BoxStorageBase::Make(const std::string& name, std::int64_t limit_bytes) {
  RETURN_IF_ERROR(CheckName(name));
  if (limit_bytes <= 0) return Fail(ErrorCode::kInvalidArgument, "a box needs room on disk");
  RETURN_IF_ERROR(MakeFolder(boxes_.get(), name), "make the folder of box " + name);
  auto prepare = [&]() -> Status {
    ASSIGN_OR_RETURN(const UniqueFd folder, OpenBox(name));
    // The mode was left to the umask; what the box sees must not depend on it.
    if (fchmod(folder.get(), 0755) != 0) return FailErrno("open up the folder");
    return LimitFolder(folder.get(), limit_bytes);
  };
  if (Status prepared = prepare(); !prepared) {
    (void)Discard(boxes_.get(), name);
    return PassUp(std::move(prepared).error(), "make the folder of box " + name);
  }
  return root_ + "/boxes/" + name;
}

Result<std::string> BoxStorageBase::Find(const std::string& name) {
  RETURN_IF_ERROR(OpenBox(name));
  return root_ + "/boxes/" + name;
}

Status BoxStorageBase::SetLimit(const std::string& name, std::int64_t limit_bytes) {
  if (limit_bytes <= 0) return Fail(ErrorCode::kInvalidArgument, "a box needs room on disk");
  ASSIGN_OR_RETURN(const UniqueFd folder, OpenBox(name));
  return LimitFolder(folder.get(), limit_bytes);
}

Result<DiskUsage> BoxStorageBase::Read(const std::string& name) {
  ASSIGN_OR_RETURN(const UniqueFd folder, OpenBox(name));
  return ReadFolder(folder.get());
}

Status BoxStorageBase::Remove(const std::string& name) {
  RETURN_IF_ERROR(CheckName(name));
  return Discard(boxes_.get(), name);
}

std::vector<std::string> BoxStorageBase::List() {
  return ListNames(boxes_.get());
}

Result<std::string> BoxStorageBase::MakeLayer(const std::string& name, const std::string& layer) {
  RETURN_IF_ERROR(CheckName(layer));
  ASSIGN_OR_RETURN(const UniqueFd folder, OpenBox(name));
  RETURN_IF_ERROR(CopyFolder(folder.get(), layers_.get(), layer), "seal box " + name);
  return FindLayer(layer);
}

Result<std::string> BoxStorageBase::FindLayer(const std::string& layer) {
  RETURN_IF_ERROR(CheckName(layer));
  if (faccessat(layers_.get(), layer.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0)
    return FailErrno("find layer " + layer);
  return root_ + "/layers/" + layer;
}

Status BoxStorageBase::RemoveLayer(const std::string& layer) {
  RETURN_IF_ERROR(CheckName(layer));
  return Discard(layers_.get(), layer);
}

std::vector<std::string> BoxStorageBase::ListLayers() {
  return ListNames(layers_.get());
}

Result<DiskSpace> BoxStorageBase::ReadSpace() const {
  return ReadDiskSpace(std::filesystem::path(root_).parent_path(), root_);
}

void BoxStorageBase::TrimSoon() {
  {
    const std::lock_guard lock(mutex_);
    trim_wanted_ = true;
  }
  wake_.notify_all();
}

Status BoxStorageBase::Unmount() {
  StopCleaning();
  boxes_ = UniqueFd();
  layers_ = UniqueFd();
  root_fd_ = UniqueFd();
  return UnmountRoot();
}

Status BoxStorageBase::Discard(int parent, const std::string& name) {
  const std::string gone = std::string(kGonePrefix) + RandomHex(24);
  if (renameat(parent, name.c_str(), parent, gone.c_str()) != 0) return FailErrno("remove " + name);
  {
    const std::lock_guard lock(mutex_);
    wanted_ = true;
  }
  wake_.notify_all();
  return {};
}

void BoxStorageBase::CleanUntilStopped() {
  using Clock = std::chrono::steady_clock;
  std::unique_lock lock(mutex_);
  auto trim_at = Clock::now() + kTrimEvery;
  while (true) {
    wake_.wait_until(lock, trim_at, [this] { return wanted_ || trim_wanted_ || stopping_; });
    if (stopping_) return;
    const bool cleans = std::exchange(wanted_, false);
    if (!cleans) trim_wanted_ = false;
    lock.unlock();
    if (cleans) {
      CleanOnce(boxes_.get());
      CleanOnce(layers_.get());
      AfterCleaning();
      trim_at = std::min(trim_at, Clock::now() + kTrimAfterCleaning);
    } else {
      Trim();
      trim_at = Clock::now() + kTrimEvery;
    }
    lock.lock();
  }
}

void BoxStorageBase::CleanOnce(int parent) {
  for (const std::string& name : ListNames(parent, kGonePrefix)) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    if (Status destroyed = DestroyFolder(parent, name); !destroyed)
      log::Warn("storage.folder_not_freed",
                {{"folder", name}, {"error", destroyed.error().message}});
  }
}

}  // namespace viv::storage
