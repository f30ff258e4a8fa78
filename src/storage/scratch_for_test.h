#pragma once
// A folder for one test, and what tests of storage ask of files.

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "base/ids.h"
#include "storage/box_storage.h"

namespace viv::storage {

struct ScratchFolder {
  ScratchFolder() { std::filesystem::create_directories(path); }
  ~ScratchFolder() {
    umount2((path + "/mnt").c_str(), MNT_DETACH);
    umount2(path.c_str(), MNT_DETACH);
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  const std::string path = "/tmp/viv-storage-" + RandomHex(16);
};

inline void WriteText(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

inline std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Whether any loop device of this machine shows a file below `folder`.
inline bool AnyLoopShows(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/block", ignored)) {
    if (ReadText(entry.path() / "loop/backing_file").starts_with(folder)) return true;
  }
  return false;
}

// The same, once whoever looks through all devices of the machine has let go of it.
inline bool LoopsStayOf(const std::string& folder) {
  for (int i = 0; i < 10'000 && AnyLoopShows(folder); ++i) usleep(500);
  return AnyLoopShows(folder);
}

// Waits for the thread that frees what was removed: nothing of it is left in `folder`.
inline bool ComesToHoldNothingGone(const std::string& folder) {
  for (int i = 0; i < 20'000; ++i) {
    bool any = false;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
      any = any || entry.path().filename().string().starts_with(".");
    if (!any) return true;
    usleep(500);
  }
  return false;
}

}  // namespace viv::storage
