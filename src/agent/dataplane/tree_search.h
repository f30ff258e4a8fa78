#pragma once
// Walks a folder for what a pattern names, in the order of the paths' bytes ("a", "a.txt", "a/b").
// Folders that nothing can match are not entered; /proc and /sys only when they are asked for, and
// links only where the pattern names them (see GlobPattern). Walked in small steps, as the user;
// one descriptor is open however deep it goes, and limits bound what a hostile tree can cost.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agent/dataplane/glob_pattern.h"
#include "agent/files/file_result.h"
#include "agent/files/list_folder.h"

namespace viv::agent {

class TreeSearch {
 public:
  struct Limits {
    std::size_t names_read = 1'000'000;
    std::size_t names_kept = 100'000;  // at a time
    std::size_t depth = 128;
  };
  TreeSearch(std::string root, GlobPattern pattern, Limits limits);
  TreeSearch(std::string root, GlobPattern pattern);

  // Begins. The error is that of opening the root.
  ErrnoOr<void> Open();

  enum class Step { kMore, kFound, kDone };
  Step Next();
  const std::string& found() const { return found_; }  // a path, after kFound

  bool truncated() const { return truncated_; }  // a limit was reached, and something was left out

 private:
  struct Item {
    std::string key;           // the name; with a slash after it, to be entered
    GlobPattern::State state;  // of what is to be entered
    bool link = false;
  };
  struct Level {
    std::string path;
    GlobPattern::State state;
    FolderHandle folder;  // while names are being read
    std::vector<Item> items;
    std::size_t next = 0;
  };
  enum class Entered { kFolder, kLink };

  ErrnoOr<void> Enter(const std::string& path, GlobPattern::State state, Entered as);
  void ReadName(Level& level);
  void Consider(Level& level, const std::string& name, unsigned char type);
  Step Take(Level& level);
  void EndReading(Level& level);

  std::string root_;
  GlobPattern pattern_;
  Limits limits_;
  bool root_is_virtual_ = false;
  bool truncated_ = false;
  std::size_t names_read_ = 0;
  std::size_t names_kept_ = 0;
  std::vector<Level> levels_;
  std::string found_;
};

}  // namespace viv::agent
