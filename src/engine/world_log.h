#pragma once
// Makes worlds durable: one file for each world that has changed, with a record for each committed
// call that has the changed bytes and a checksum. A world that was never written has no file. A
// torn last record, left by a crash in the middle of a write, is dropped: it was never
// acknowledged. Written without fsync: a killed server loses nothing; a power failure may take the
// last moments, never the consistency (docs/decisions/0003).

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"
#include "engine/pages.h"

namespace viv::engine {

class WorldLog {
 public:
  // Nothing is created until the first Append.
  explicit WorldLog(std::string path) : path_(std::move(path)) {}

  enum class Kind : std::uint8_t {
    kCommit = 1,    // a call's changes
    kBaseline = 2,  // changes after which the state counts as the initial one (initialize, fork)
  };

  // Appends what `pages` has written since its last Commit.
  Status Append(const Pages& pages, Kind kind);

  // The image the file stands on; empty when there is no file.
  Result<std::string> ReadImageId() const;

  // Replays the file onto `pages`, fresh from its image; `on_baseline` runs after each baseline
  // record. A missing file is an unchanged world; one that belongs to another image is an error.
  Status Replay(Pages& pages, const std::function<void()>& on_baseline);

  Status Remove();

  // Replaces the file by one that holds `baseline` and then the state of `pages`: a few records
  // whatever the history was.
  Status Rewrite(const Pages& baseline, const Pages& pages);

  std::uint64_t bytes() const { return bytes_; }

 private:
  // Keeps the file of a world open, for up to kCachedMax worlds, because opening it would be a good
  // part of the cost of a small record.
  class CachedFile {
   public:
    CachedFile() = default;
    CachedFile(CachedFile&& other) noexcept : file_(std::move(other.file_)) {}
    CachedFile& operator=(CachedFile&&) = delete;
    ~CachedFile() { Close(); }
    int get() const { return file_.get(); }  // -1: none
    void Set(UniqueFd file);
    void Close();

   private:
    static constexpr int kCachedMax = 512;
    static inline std::atomic<int> count_ = 0;
    UniqueFd file_;
  };

  Status WriteTo(int file, const std::string& record, const std::string& path);

  std::string path_;
  CachedFile cached_file_;
  std::uint64_t bytes_ = 0;  // of whole records, so that a torn one is overwritten
};

}  // namespace viv::engine
