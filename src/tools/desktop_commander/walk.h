#pragma once
// Goes through a tree of folders, names in order, never through a link. What is asked for may be
// hostile: depth, number and time are limited, and folders that cannot be read are passed over.

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::tools::commander {

enum class EntryKind { kFile, kFolder, kOther };  // a link is kOther

struct FolderEntry {
  std::string name;
  EntryKind kind = EntryKind::kOther;
};

// The entries of an open folder, sorted by name.
Result<std::vector<FolderEntry>> ReadFolder(UniqueFd folder);

struct WalkLimits {
  std::chrono::steady_clock::time_point deadline;
  const std::atomic<bool>& cancelled;

  bool Over() const { return cancelled || std::chrono::steady_clock::now() >= deadline; }
};

class Walker {
 public:
  virtual ~Walker() = default;
  // Called for each folder before its entries, and after them.
  virtual void Enter(int /*folder*/, const std::string& /*path*/) {}
  virtual void Leave() {}
  // Whether to go into it, when it is a folder. `folder` is the open one that holds it.
  virtual bool Visit(int folder, const std::string& path, const FolderEntry& entry) = 0;
};

enum class WalkResult { kAll, kStopped };  // stopped: by a limit
WalkResult Walk(UniqueFd root, const std::string& path, Walker& walker, const WalkLimits& limits);

}  // namespace viv::tools::commander
