#pragma once
// Loop devices: a file seen as a disk. Ours clear themselves when the last user goes (autoclear),
// so neither a crash nor an unmount leaves one behind.

#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::storage {

struct LoopDevice {
  UniqueFd fd;       // keeps it alive until it is mounted
  std::string path;  // "/dev/loop3"
};

// The device that already shows `image` (its mount may live on in other namespaces), or a new one.
Result<LoopDevice> AttachLoop(const std::string& image);

// Whether any loop device shows `image`.
bool IsLoopAttached(const std::string& image);

// Whether the block device `device` is a loop device showing `image`.
bool IsLoopDeviceOf(const std::string& device, const std::string& image);

}  // namespace viv::storage
