#include "storage/loop_device.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/errno_error.h"

namespace viv::storage {
namespace {

// Between learning of a free number and taking it another process may take it first.
constexpr int kLoopAttempts = 64;
// From linux/loop.h of 5.8 on; spelled out where older headers lack them.
constexpr unsigned long kLoopConfigure = 0x4C0A;
constexpr unsigned long kLoopControlGetFree = 0x4C82;
struct LoopConfiguration {
  std::uint32_t fd;
  std::uint32_t block_size;
  loop_info64 info;
  std::uint64_t reserved[8];
};

bool IsBackedBy(int device, const struct stat& image) {
  loop_info64 info{};
  if (ioctl(device, LOOP_GET_STATUS64, &info) != 0) return false;
  return info.lo_inode == image.st_ino && info.lo_device == image.st_dev;
}

// Whether it is worth opening the device of which sysfs says this: that holds a device of others
// for a moment, which they may be about to see vanish.
bool MayBeBackedBy(const std::filesystem::path& sysfs, const struct stat& image) {
  std::string path;
  if (!std::getline(std::ifstream(sysfs / "loop/backing_file"), path)) return false;
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return true;  // a path of another namespace, or removed
  return status.st_ino == image.st_ino && status.st_dev == image.st_dev;
}

std::optional<LoopDevice> FindAttached(const struct stat& image) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/block", ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("loop") || !MayBeBackedBy(entry.path(), image)) continue;
    LoopDevice device{UniqueFd(open(("/dev/" + name).c_str(), O_RDWR | O_CLOEXEC)), "/dev/" + name};
    if (device.fd && IsBackedBy(device.fd.get(), image)) return device;
  }
  return std::nullopt;
}

}  // namespace

Result<LoopDevice> AttachLoop(const std::string& image) {
  const UniqueFd file(open(image.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) return FailErrno("open " + image);
  if (auto found = FindAttached(status)) return std::move(*found);

  const UniqueFd control(open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  if (!control) return FailErrno("open /dev/loop-control");
  for (int attempt = 0; attempt < kLoopAttempts; ++attempt) {
    const int number = ioctl(control.get(), kLoopControlGetFree);
    if (number < 0) return FailErrno("find a free loop device");
    LoopDevice device{UniqueFd(), "/dev/loop" + std::to_string(number)};
    device.fd = UniqueFd(open(device.path.c_str(), O_RDWR | O_CLOEXEC));
    if (!device.fd) return FailErrno("open " + device.path);
    LoopConfiguration configuration{};
    configuration.fd = static_cast<std::uint32_t>(file.get());
    configuration.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    if (ioctl(device.fd.get(), kLoopConfigure, &configuration) == 0) return device;
    if (errno != EBUSY) return FailErrno("attach " + image + " to " + device.path);
  }
  return Fail(ErrorCode::kUnavailable, "attach " + image + ": every loop device was taken");
}

bool IsLoopAttached(const std::string& image) {
  struct stat status {};
  return stat(image.c_str(), &status) == 0 && FindAttached(status).has_value();
}

bool IsLoopDeviceOf(const std::string& device, const std::string& image) {
  struct stat status {};
  if (stat(image.c_str(), &status) != 0) return false;
  const UniqueFd fd(open(device.c_str(), O_RDONLY | O_CLOEXEC));
  return fd && IsBackedBy(fd.get(), status);
}

}  // namespace viv::storage
