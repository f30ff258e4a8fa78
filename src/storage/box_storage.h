#pragma once
// Where boxes keep their changes: one folder per box, each with a limit on what it may hold, and
// the sealed layers that snapshots and templates are made of. Lives in an image file of its own
// with quotas (XFS projects or btrfs subvolumes, as the kernel has them), mounted privately under
// DIR; a plain folder without limits only where the operator accepted that. Thread-safe.

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
  std::int64_t image_bytes = 64LL << 30;  // sparse: takes what is used
  bool accept_no_limit = false;           // a plain folder will do
  // Ends all processes that use the image: an image that the kernel closed after an error, as when
  // the disk below was full, is opened again only when nobody uses it. Not set: it stays closed.
  std::function<void()> kill_users = {};
};

struct DiskUsage {
  std::int64_t used_bytes = 0;
  std::int64_t limit_bytes = 0;
};

class BoxStorage {
 public:
  static Result<std::unique_ptr<BoxStorage>> Open(StorageOptions options);
  virtual ~BoxStorage() = default;  // leaves all of it mounted where boxes may live on

  // "btrfs image with simple quotas" (or full ones), "XFS image", "folder"
  virtual std::string kind() const = 0;
  virtual bool has_limits() const = 0;

  // Names are up to 100 of [a-z0-9-]. Answers the box's folder, empty, 0755 and root's.
  virtual Result<std::string> Make(const std::string& name, std::int64_t limit_bytes) = 0;
  virtual Result<std::string> Find(const std::string& name) = 0;
  virtual Status SetLimit(const std::string& name, std::int64_t limit_bytes) = 0;
  virtual Result<DiskUsage> Read(const std::string& name) = 0;
  virtual Status Remove(const std::string& name) = 0;  // frees its data in the background
  virtual std::vector<std::string> List() = 0;

  // A read-only copy of a box's folder as it is now, as layer `layer`; its processes stand still.
  // Costs what the file system's copy-on-write costs, and writes out what the box wrote last.
  // Answers the layer's folder. What the layer shares with the box stays on the box's account.
  virtual Result<std::string> MakeLayer(const std::string& name, const std::string& layer) = 0;
  virtual Result<std::string> FindLayer(const std::string& layer) = 0;
  virtual Status RemoveLayer(const std::string& layer) = 0;
  virtual std::vector<std::string> ListLayers() = 0;

  virtual Result<DiskSpace> ReadSpace() const = 0;  // quick
  // What was removed is given back to the machine's disk now and again; this asks for it now.
  virtual void TrimSoon() {}

  virtual Status Unmount() = 0;  // when no box is left (--on-exit kill)
};

}  // namespace viv::storage
