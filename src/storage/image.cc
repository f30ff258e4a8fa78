#include "storage/image.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

#include "base/errno_error.h"
#include "base/log.h"
#include "base/unique_fd.h"
#include "storage/command.h"
#include "storage/loop_device.h"

namespace viv::storage {
namespace {

constexpr std::string_view kBtrfsMagic = "_BHRfS_M";
constexpr off_t kBtrfsMagicAt = 0x10040;
constexpr std::string_view kXfsMagic = "XFSB";
// A namespace that is being torn down holds its mounts for some milliseconds more.
constexpr int kUnmountAttempts = 50;
constexpr std::chrono::milliseconds kUnmountPause{20};
constexpr int kReopenAttempts = 500;

// Small files lie inline in the metadata and data has no checksums: sealing a box writes out what
// it changed, and this halves the cost per file. Nothing is discarded by itself: when a transaction
// fails, as on a full disk, btrfs goes on to discard blocks that the last good one needs (half of
// the images that broke so could not be mounted again).
constexpr const char* kBtrfsMountOptions = "nobarrier,nodatasum,max_inline=4095,nodiscard";
constexpr const char* kXfsMountOptions = "prjquota,logbufs=8,logbsize=256k,discard";

const char* FileSystemName(ImageKind kind) {
  return kind == ImageKind::kBtrfs ? "btrfs" : "xfs";
}

struct MountEntry {
  std::string file_system;
  std::string source;
};

// mountinfo writes blanks and the like in names as \040.
std::string DecodeOctal(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      out +=
          static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + text[i + 3] - '0');
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

// What is mounted at `mount_point`, the topmost where several are.
std::optional<MountEntry> FindMount(const std::string& mount_point) {
  std::optional<MountEntry> found;
  std::ifstream file("/proc/self/mountinfo");
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string word;
    for (int i = 0; i < 5; ++i) words >> word;
    if (DecodeOctal(word) != mount_point) continue;
    while (words >> word && word != "-") {
    }
    MountEntry entry;
    words >> entry.file_system >> entry.source;
    found = entry;
  }
  return found;
}

Result<std::int64_t> AffordableBytes(const std::string& folder, std::int64_t wanted) {
  struct statvfs space {};
  if (statvfs(folder.c_str(), &space) != 0) return FailErrno("read the free space of " + folder);
  const auto free_bytes =
      static_cast<std::int64_t>(space.f_bavail) * static_cast<std::int64_t>(space.f_frsize);
  const std::int64_t bytes = std::min(wanted, free_bytes / 10 * 8) / 4096 * 4096;
  if (bytes < kImageBytesMin) {
    return Fail(ErrorCode::kLimitExceeded,
                "boxes need an image of at least " + std::to_string(kImageBytesMin >> 20) +
                    " MiB, and " + folder + " allows " + std::to_string(bytes >> 20) +
                    " MiB: free some space, or put the data folder on a larger disk");
  }
  return bytes;
}

Status MakeSparseFile(const std::string& path, std::int64_t bytes) {
  const UniqueFd file(open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600));
  if (!file || ftruncate(file.get(), bytes) != 0) return FailErrno("make " + path);
  return {};
}

// No setuid: a box's root writes files of uid 0, which must mean nothing on the host.
Status MountDevice(const LoopDevice& device,
                   const ImagePaths& paths,
                   ImageKind kind,
                   const std::string& options) {
  if (mount(device.path.c_str(), paths.mount_point.c_str(), FileSystemName(kind),
            MS_NOATIME | MS_NODEV | MS_NOSUID, options.c_str()) == 0)
    return {};
  return FailErrno("mount " + paths.image);
}

// Whether a new file can be made in `folder`; without a name, so nothing is left of it.
bool CanMakeFile(const std::string& folder) {
  return static_cast<bool>(UniqueFd(open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)));
}

}  // namespace

Result<ImageKind> ReadImageKind(const std::string& image) {
  const UniqueFd file(open(image.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return FailErrno("open " + image);
  char magic[8] = {};
  if (pread(file.get(), magic, 8, kBtrfsMagicAt) == 8 && kBtrfsMagic == std::string_view(magic, 8))
    return ImageKind::kBtrfs;
  if (pread(file.get(), magic, 4, 0) == 4 && kXfsMagic == std::string_view(magic, 4))
    return ImageKind::kXfs;
  return Fail(ErrorCode::kInvalidArgument,
              image +
                  " holds no file system of ours: it was damaged, or is another file. Move it "
                  "away and start again; what boxes had stored in it is not in the new one");
}

Status FormatImage(const std::string& image, ImageKind kind, std::int64_t bytes) {
  const std::string folder = std::filesystem::path(image).parent_path();
  ASSIGN_OR_RETURN(const std::int64_t affordable, AffordableBytes(folder, bytes));
  const std::string fresh = image + ".new";
  RETURN_IF_ERROR(MakeSparseFile(fresh, affordable));
  std::vector<std::string> command = {"mkfs.btrfs", "-q", "-f", "-m", "single", "-d", "single"};
  if (kind == ImageKind::kXfs) command = {"mkfs.xfs", "-q", "-f", "-m", "reflink=1"};
  command.push_back(fresh);
  Status made = RunCommand(command);
  if (made && rename(fresh.c_str(), image.c_str()) != 0) made = FailErrno("name " + image);
  if (!made) unlink(fresh.c_str());
  return made;
}

Status MountImage(const ImagePaths& paths, ImageKind kind) {
  if (const auto mounted = FindMount(paths.mount_point)) {
    if (IsLoopDeviceOf(mounted->source, paths.image)) return {};
    return Fail(ErrorCode::kConflict, paths.mount_point + " has something else mounted on it (" +
                                          mounted->source +
                                          "): unmount that, or choose another data folder");
  }
  std::error_code error;
  std::filesystem::create_directories(paths.mount_point, error);
  if (error)
    return Fail(ErrorCode::kInternal, "make " + paths.mount_point + ": " + error.message());
  ASSIGN_OR_RETURN(const LoopDevice device, AttachLoop(paths.image));
  const std::string options = kind == ImageKind::kBtrfs ? kBtrfsMountOptions : kXfsMountOptions;
  Status mounted = MountDevice(device, paths, kind, options);
  if (!mounted && kind == ImageKind::kBtrfs) {
    // After a disk that was full the newest tree may be missing blocks; the one before is whole.
    if (MountDevice(device, paths, kind, options + ",rescue=usebackuproot")) {
      log::Error("storage.older_state", {{"image", paths.image},
                                         {"error", mounted.error().message},
                                         {"lost", "what was written last"}});
      mounted = {};
    }
  }
  RETURN_IF_ERROR(mounted);
  // What is mounted below stays ours: it must not show up in, nor be held by, other namespaces.
  if (mount(nullptr, paths.mount_point.c_str(), nullptr, MS_PRIVATE, nullptr) != 0)
    return FailErrno("make the mount " + paths.mount_point + " private");
  return {};
}

bool IsImageBroken(const ImagePaths& paths) {
  if (!FindMount(paths.mount_point) || CanMakeFile(paths.mount_point)) return false;
  return errno == EROFS || errno == EIO;
}

Status ReopenImage(const ImagePaths& paths,
                   ImageKind kind,
                   const std::function<void()>& kill_users) {
  if (!kill_users)
    return Fail(ErrorCode::kUnavailable, paths.image + " was closed by the kernel after an error");
  log::Error("storage.broken", {{"image", paths.image}, {"boxes", "ended, to open it again"}});
  kill_users();
  for (int attempt = 0; umount2(paths.mount_point.c_str(), UMOUNT_NOFOLLOW) != 0; ++attempt) {
    if (errno == EINVAL) break;  // nothing is mounted there any more
    if (errno != EBUSY || attempt == kReopenAttempts)
      return FailErrno("unmount " + paths.mount_point);
    std::this_thread::sleep_for(kUnmountPause);
  }
  // The namespaces of boxes that just ended hold it for a moment more; while one does, the next
  // mount would find the same broken one.
  for (int attempt = 0; IsLoopAttached(paths.image); ++attempt) {
    if (attempt == kReopenAttempts)
      return Fail(ErrorCode::kUnavailable,
                  paths.image +
                      " was closed by the kernel after an error, and somebody still uses "
                      "it: end that, or restart the machine");
    std::this_thread::sleep_for(kUnmountPause);
  }
  RETURN_IF_ERROR(MountImage(paths, kind));
  if (IsImageBroken(paths))
    return Fail(ErrorCode::kUnavailable, paths.image + " cannot be written: is the disk full?");
  log::Warn("storage.reopened",
            {{"image", paths.image}, {"lost", "what was written in the last seconds before"}});
  return {};
}

Status UnmountImage(const ImagePaths& paths) {
  if (!FindMount(paths.mount_point)) return {};
  for (int attempt = 0; attempt < kUnmountAttempts; ++attempt) {
    if (umount2(paths.mount_point.c_str(), UMOUNT_NOFOLLOW) == 0) return {};
    if (errno != EBUSY) return FailErrno("unmount " + paths.mount_point);
    std::this_thread::sleep_for(kUnmountPause);
  }
  if (umount2(paths.mount_point.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) != 0)
    return FailErrno("unmount " + paths.mount_point);
  return {};
}

}  // namespace viv::storage
