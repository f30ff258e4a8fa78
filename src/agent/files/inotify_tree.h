#pragma once
// Watches a folder, or a whole directory tree: inotify watches single folders, and this class adds
// and removes watches as folders appear, move and disappear. Events of our own temporary files are
// hidden: an upload shows as a file created and written.

#include <sys/inotify.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/files/file_result.h"
#include "agent/files/list_folder.h"
#include "base/unique_fd.h"

namespace viv::agent {

enum class ChangeType { kCreate, kRename, kChmod, kWrite, kRemove };

struct Change {
  std::string name;  // relative to the watched folder; "." is the folder itself
  ChangeType type;
};

class InotifyTree {
 public:
  enum class Depth { kFolderOnly, kRecursive };
  static ErrnoOr<InotifyTree> Create(std::string root, Depth depth);

  int fd() const { return fd_.get(); }  // readable when something happened

  // Makes about `steps` small steps: first it watches new folders, then it reads events. False when
  // nothing is left to do. Call it as the user. EOVERFLOW when the kernel had to drop events,
  // ENOSPC when there are too many folders to watch.
  ErrnoOr<bool> Step(std::size_t steps, std::vector<Change>& changes);

 private:
  struct NewFolder {
    std::string name;     // "" is the root
    bool report_entries;  // whether what is in it counts as created
  };
  struct MovedFolder {
    std::uint32_t cookie = 0;
    std::string name;
  };

  InotifyTree(std::string root, Depth depth, UniqueFd fd)
      : root_(std::move(root)), depth_(depth), fd_(std::move(fd)) {}
  std::string PathOf(const std::string& name) const;
  ErrnoOr<void> Watch(NewFolder folder);
  void ScanNext(std::vector<Change>& changes);
  ErrnoOr<bool> ReadMore();
  ErrnoOr<void> Handle(const inotify_event& event,
                       std::string_view name,
                       std::vector<Change>& changes);
  bool IsHidden(const inotify_event& event, std::string_view name);
  void FollowFolder(const inotify_event& event, const std::string& name);
  void RenameWatches(const std::string& from, const std::string& to);
  void Forget(const std::string& name);

  std::string root_;
  Depth depth_;
  UniqueFd fd_;
  std::unordered_map<int, std::string> names_;  // by watch
  std::vector<NewFolder> new_folders_;
  FolderHandle scanned_;  // the folder being looked through
  NewFolder scanned_folder_{};
  std::vector<char> buffer_;  // events read, the first `at_` bytes done with
  std::size_t at_ = 0;
  std::optional<MovedFolder> moved_from_;  // a folder that was moved; where to is the next event
  std::uint32_t temporary_cookie_ = 0;     // of a temporary that takes its name
  bool temporary_replaces_ = false;
};

}  // namespace viv::agent
