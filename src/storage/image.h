#pragma once
// The image file that holds all boxes' files: DIR/store.img, mounted at DIR/mnt. What is in it
// survives a killed server, whose mount the next one finds again. It does not promise to survive a
// power cut: write barriers are off, since a sandbox's files are not worth what they cost.

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

// A sparse, formatted image of `bytes`, or at most 80 % of the free space. There is a complete one
// or none, whenever the server is killed.
Status FormatImage(const std::string& image, ImageKind kind, std::int64_t bytes);

// Mounts it, or finds it mounted.
Status MountImage(const ImagePaths& paths, ImageKind kind);

// Whether it is mounted, but the kernel closed it after an error: nothing can be written.
bool IsImageBroken(const ImagePaths& paths);

// Opens a broken one again: unmounts it for good, once `kill_users` has ended who uses it, and
// mounts it anew. What was written in the last seconds before the error may be lost; the log says
// so.
Status ReopenImage(const ImagePaths& paths,
                   ImageKind kind,
                   const std::function<void()>& kill_users);

// Its loop device goes with the last user: boxes that still run keep it.
Status UnmountImage(const ImagePaths& paths);

}  // namespace viv::storage
