#pragma once
// Stores what boxes change: one folder per box, each with a disk limit, and the read-only layers
// that snapshots and templates are made of. The folders lie in an image file with quotas (XFS
// projects or btrfs subvolumes, whichever the kernel has), which is mounted below DIR; they lie in
// a plain folder without limits only where the operator accepted that. Thread-safe.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/disk_space.h"

namespace viv::storage {

struct StorageOptions {
  std::string directory;                  // DATA/boxes
  std::int64_t image_bytes = 64LL << 30;  // sparse: occupies only what is used
  bool accept_no_limit = false;           // a plain folder is accepted
  // Kills all processes that use the image. After an error, such as a full disk below it, the
  // kernel makes the image read-only; it can be mounted again only when no process uses it. Not
  // set: it stays read-only.
  std::function<void()> kill_users = {};
};

struct DiskUsage {
  std::int64_t used_bytes = 0;
  std::int64_t limit_bytes = 0;
};

class BoxStorage {
 public:
  static Result<std::unique_ptr<BoxStorage>> Open(StorageOptions options);
  virtual ~BoxStorage() = default;  // leaves the image mounted, because boxes may keep running

  // "btrfs image with simple quotas" (or full ones), "XFS image", "folder"
  virtual std::string kind() const = 0;
  virtual bool has_limits() const = 0;

  // Names are up to 100 of [a-z0-9-]. Returns the path of the box's new folder, which is empty,
  // mode 0755 and owned by root.
  virtual Result<std::string> Make(const std::string& name, std::int64_t limit_bytes) = 0;
  virtual Result<std::string> Find(const std::string& name) = 0;
  virtual Status SetLimit(const std::string& name, std::int64_t limit_bytes) = 0;
  virtual Result<DiskUsage> Read(const std::string& name) = 0;
  virtual Status Remove(const std::string& name) = 0;  // frees its data in the background
  virtual std::vector<std::string> List() = 0;

  // Makes layer `layer`, a read-only copy of a box's folder as it is now; the box's processes must
  // be frozen. The cost is that of the file system's copy-on-write and of writing out the box's
  // dirty pages. Returns the layer's folder. What the layer shares with the box counts for the
  // box's limit.
  virtual Result<std::string> MakeLayer(const std::string& name, const std::string& layer) = 0;
  virtual Result<std::string> FindLayer(const std::string& layer) = 0;
  virtual Status RemoveLayer(const std::string& layer) = 0;
  virtual std::vector<std::string> ListLayers() = 0;

  virtual Result<DiskSpace> ReadSpace() const = 0;  // quick
  // Free space of the image is regularly returned to the machine's disk; this requests it now.
  virtual void TrimSoon() {}

  virtual Status Unmount() = 0;  // when no box is left (--on-exit kill)
};

}  // namespace viv::storage
