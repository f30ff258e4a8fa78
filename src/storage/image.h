#pragma once
// The image file that holds all boxes' files: DIR/store.img, mounted at DIR/mnt. Its content
// survives a killed server: the next server finds the mount. It may not survive a power cut,
// because write barriers are off: a sandbox's files are not worth their cost.

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"

namespace viv::storage {

enum class ImageKind { kBtrfs, kXfs };
constexpr std::int64_t kImageBytesMin = 320LL << 20;  // mkfs.xfs wants 300 MB

struct ImagePaths {
  std::string image;        // DIR/store.img
  std::string mount_point;  // DIR/mnt
};

// The file system an image holds; kInvalidArgument, with what to do, when it is none of ours.
Result<ImageKind> ReadImageKind(const std::string& image);

// A sparse, formatted image of `bytes`, or at most 80 % of the free space. Whenever the server is
// killed, there is a complete image or none.
Status FormatImage(const std::string& image, ImageKind kind, std::int64_t bytes);

// Mounts the image, unless it is mounted already.
Status MountImage(const ImagePaths& paths, ImageKind kind);

// Whether the image is mounted but the kernel made it read-only after an error.
bool IsImageBroken(const ImagePaths& paths);

// Repairs a broken image: calls `kill_users`, unmounts the image and mounts it again. Data of the
// last seconds before the error may be lost; the log says so.
Status ReopenImage(const ImagePaths& paths,
                   ImageKind kind,
                   const std::function<void()>& kill_users);

// The loop device is freed with its last user; boxes that still run keep it.
Status UnmountImage(const ImagePaths& paths);

}  // namespace viv::storage
