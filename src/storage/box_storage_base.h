#pragma once
// The base class of the kinds of storage: the folders `boxes` and `layers` below one root, the
// check of names, and a thread that deletes removed folders. A box's folder is empty at first.
// Removing renames it to `.gone-…`, which frees its name at once. The renamed folders are the queue
// of deletions, so that the queue costs no memory and the next server continues what a killed one
// left. A subclass says how a folder is made, limited, copied and destroyed.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "storage/box_storage.h"

namespace viv::storage {

// 1 to 100 of [a-z0-9-], beginning with a letter or digit.
bool IsStorageName(std::string_view name);

class BoxStorageBase : public BoxStorage {
 public:
  ~BoxStorageBase() override;

  Result<std::string> Make(const std::string& name, std::int64_t limit_bytes) override;
  Result<std::string> Find(const std::string& name) override;
  Status SetLimit(const std::string& name, std::int64_t limit_bytes) override;
  Result<DiskUsage> Read(const std::string& name) override;
  Status Remove(const std::string& name) override;
  std::vector<std::string> List() override;
  Result<std::string> MakeLayer(const std::string& name, const std::string& layer) override;
  Result<std::string> FindLayer(const std::string& layer) override;
  Status RemoveLayer(const std::string& layer) override;
  std::vector<std::string> ListLayers() override;
  Result<DiskSpace> ReadSpace() const override;
  void TrimSoon() override;
  Status Unmount() override;

 protected:
  explicit BoxStorageBase(std::string root) : root_(std::move(root)) {}

  Status OpenFolders();  // before anything else; makes them where they are missing
  void StartCleaning();  // once the subclass is constructed
  void StopCleaning();   // the first call in a subclass's destructor, because the thread calls its
                         // functions

  int root_fd() const { return root_fd_.get(); }

  // For subclasses. `parent` is a descriptor of `boxes` or `layers`; `folder` is one of a box's
  // folder.
  virtual Status MakeFolder(int parent, const std::string& name) = 0;
  virtual Status LimitFolder(int folder, std::int64_t limit_bytes) = 0;
  virtual Result<DiskUsage> ReadFolder(int folder) = 0;
  virtual Status CopyFolder(int folder, int parent, const std::string& name) = 0;
  virtual Status DestroyFolder(int parent, const std::string& name) = 0;
  virtual void AfterCleaning() {}
  virtual void Trim() {}  // gives free space back to the machine's disk
  virtual Status UnmountRoot() { return {}; }

 private:
  Result<UniqueFd> OpenBox(const std::string& name);
  Status Discard(int parent, const std::string& name);
  void CleanUntilStopped();
  void CleanOnce(int parent);

  const std::string root_;
  UniqueFd root_fd_, boxes_, layers_;

  std::mutex mutex_;  // guards all below
  std::condition_variable wake_;
  bool wanted_ = true;  // the first round deletes what an earlier server left
  bool trim_wanted_ = false;
  bool stopping_ = false;
  std::thread cleaner_;
};

// The kinds. `mounted` is where the image is mounted.
Result<std::unique_ptr<BoxStorage>> OpenBtrfs(const std::string& directory);
Result<std::unique_ptr<BoxStorage>> OpenXfs(const std::string& directory);
Result<std::unique_ptr<BoxStorage>> OpenFolder(const std::string& directory);

}  // namespace viv::storage
