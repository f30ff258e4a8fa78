#pragma once
// Lists a folder recursively down to a depth: a folder comes before its content, names are in byte
// order, links are not followed. It works in batches, each as the user.

#include <dirent.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "agent/files/entry_info.h"
#include "agent/files/file_result.h"

namespace viv::agent {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using FolderHandle = std::unique_ptr<DIR, CloseFolder>;

// Opens a folder, which must not be a link. To be called as the user.
ErrnoOr<FolderHandle> OpenFolder(const std::string& path);
bool IsDotEntry(const char* name);  // "." and ".."

class FolderWalk {
 public:
  // Entries are told below `shown`, which may be another name of `real`.
  FolderWalk(std::string real, std::string shown, std::size_t depth);

  // Does about so many small steps; true when all is done. To be called as the user. The error is
  // that of `real` itself, or E2BIG: what cannot be read further down is told, but not its content.
  ErrnoOr<bool> Step(std::size_t steps);
  std::vector<Entry>& entries() { return entries_; }

 private:
  struct Level {
    std::string real;
    std::string shown;
    FolderHandle folder = {};  // while names are being read
    std::vector<std::string> names = {};
    std::size_t next = 0;
  };
  ErrnoOr<void> Enter(std::string real, std::string shown);
  ErrnoOr<void> ReadName(Level& level);
  void Visit(Level& level);

  std::size_t depth_;
  std::size_t names_waiting_ = 0;
  bool started_ = false;
  std::vector<Level> levels_;
  std::vector<Entry> entries_;
};

}  // namespace viv::agent
