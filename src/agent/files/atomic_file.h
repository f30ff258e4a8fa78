#pragma once
// Writes a file atomically. The bytes go to a temporary file beside the destination, which is
// renamed to it on Commit; without Commit nothing is left. An existing file keeps its mode, and
// with the user's own rights its owner. Where a rename would do harm or is not allowed (a file with
// several links, a mount point, a folder that the user may not write to), Commit copies the
// complete bytes into the existing file instead.

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "agent/files/file_result.h"
#include "agent/files/fs_user.h"
#include "agent/files/metadata.h"
#include "agent/users.h"
#include "base/task.h"
#include "base/unique_fd.h"

namespace viv::agent {

// The prefixes of temporary files. Watchers hide their events, and report the rename as a write
// where it replaces a file.
constexpr std::string_view kTemporaryPrefix = ".viv-draft-";
constexpr std::string_view kReplacingTemporaryPrefix = ".viv-draft-over-";
std::string TemporaryName(bool replaces);

class AtomicFile {
 public:
  // Creates missing folders. EISDIR for a folder, EINVAL for other special files.
  // With root's rights the file becomes the user's, whoever had it before.
  static FileResult<AtomicFile> Open(const User& user, Rights rights, const std::string& path);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  FileResult<void> Write(std::string_view bytes);
  // Copies a whole regular file, and yields in between.
  Task<FileResult<void>> CopyFrom(int file);
  // Renames the file into place. Call it once.
  Task<FileResult<void>> Commit(Metadata metadata);

  std::uint64_t size() const { return size_; }

 private:
  AtomicFile() = default;
  static FileResult<AtomicFile> OpenAsUser(const User& user,
                                           Rights rights,
                                           const std::string& path);
  FileResult<void> InspectDestination();
  FileResult<void> CreateTemporary();
  FileResult<void> StoreMetadata(int file, const Metadata& metadata) const;
  FileResult<void> SetOwner(int file) const;
  FileResult<void> SetAttributes(const Metadata& metadata);
  FileResult<bool> Rename();
  Task<FileResult<void>> WriteInPlace();

  User user_;
  Rights rights_ = Rights::kOwn;
  std::string path_;       // links followed
  std::string name_;       // its last part
  UniqueFd folder_;        // where it lies
  UniqueFd existing_;      // open for writing, when there is a file already
  struct stat before_ {};  // of the existing one
  std::string temporary_;  // its name in the folder; empty when it has none
  UniqueFd file_;          // the temporary
  std::uint64_t size_ = 0;
};

}  // namespace viv::agent
