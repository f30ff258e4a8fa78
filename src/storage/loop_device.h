#pragma once
// Loop devices, which show a file as a disk. Ours are autoclear: the kernel frees them with the
// last user, so that neither a crash nor an unmount leaves one behind.

#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::storage {

struct LoopDevice {
  UniqueFd fd;       // keeps it alive until it is mounted
  std::string path;  // "/dev/loop3"
};

// The device that is backed by `image` already (its mount may persist in other namespaces), or a
// new one.
Result<LoopDevice> AttachLoop(const std::string& image);

// Whether any loop device is backed by `image`.
bool IsLoopAttached(const std::string& image);

// Whether the block device `device` is a loop device that is backed by `image`.
bool IsLoopDeviceOf(const std::string& device, const std::string& image);

}  // namespace viv::storage
