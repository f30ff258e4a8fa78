#include "tools/archive/staging.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/archive_path.h"
#include "base/ids.h"
#include "tools/archive/beneath.h"
#include "tools/archive/merge.h"

namespace viv::tools {
namespace {

constexpr std::int64_t kLatestSecond = 253'402'300'799;  // the end of the year 9999

timespec ModifiedAt(std::int64_t seconds) {
  timespec time{};
  time.tv_sec = std::clamp<std::int64_t>(seconds, 0, kLatestSecond);
  return time;
}

// What an earlier unpacking left when it was killed. One that is still at work holds its lock.
void SweepStaging(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!entry.path().filename().string().starts_with(kStagingPrefix)) continue;
    UniqueFd left(::open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!left || ::flock(left.get(), LOCK_EX | LOCK_NB) != 0) continue;
    std::error_code ignored;
    std::filesystem::remove_all(entry.path(), ignored);
  }
}

tl::unexpected<Error> FailMember(const Staging::Parts& path, int error) {
  const std::string name = JoinArchivePath(path);
  if (error == EEXIST) return RefuseArchiveMember(name, "is there twice");
  if (error == ENOTDIR || error == ELOOP)
    return RefuseArchiveMember(name, "lies in something that is no folder in the archive");
  if (error == ENAMETOOLONG) return RefuseArchiveMember(name, "is too long for a name");
  return FailArchiveCall("unpack '" + PrintableArchiveName(name) + "'", error);
}

}  // namespace

Result<Staging> Staging::Make(const std::string& folder) {
  UniqueFd around(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!around) return FailArchiveCall("open " + folder, errno);
  SweepStaging(folder);
  const std::string name = std::string(kStagingPrefix) + RandomHex(12);
  if (::mkdirat(around.get(), name.c_str(), 0700) != 0)
    return FailArchiveCall("make a folder in " + folder, errno);
  Staging staging(folder + "/" + name, std::move(around), UniqueFd());
  staging.staging_folder_ = OpenBeneath(staging.target_.get(), name, O_RDONLY | O_DIRECTORY);
  if (!staging.staging_folder_) return FailArchiveCall("open a folder in " + folder, errno);
  ::flock(staging.staging_folder_.get(), LOCK_EX | LOCK_NB);
  return staging;
}

Staging::~Staging() {
  if (!staging_folder_) return;  // moved from, or never made
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Result<int> Staging::Parent(const Parts& path) {
  const Parts above(path.begin(), path.end() - 1);
  if (above.empty()) return staging_folder_.get();
  const std::string wanted = JoinArchivePath(above);
  if (parent_ && wanted == parent_path_) return parent_.get();
  UniqueFd found = OpenBeneath(staging_folder_.get(), wanted, O_PATH | O_DIRECTORY);
  if (!found && errno == ENOENT) {
    // Folders need not be members of their own.
    std::string made;
    for (const std::string& part : above) {
      made += (made.empty() ? "" : "/") + part;
      if (OpenBeneath(staging_folder_.get(), made, O_PATH | O_DIRECTORY)) continue;
      if (errno != ENOENT || ::mkdirat(staging_folder_.get(), made.c_str(), 0755) != 0)
        return FailMember(path, errno);
    }
    found = OpenBeneath(staging_folder_.get(), wanted, O_PATH | O_DIRECTORY);
  }
  if (!found) return FailMember(path, errno);
  parent_ = std::move(found);
  parent_path_ = wanted;
  return parent_.get();
}

Status Staging::AddFolder(const Parts& path, Attributes attributes) {
  ASSIGN_OR_RETURN(const int parent, Parent(path));
  if (::mkdirat(parent, path.back().c_str(), 0700) != 0) {
    if (errno != EEXIST) return FailMember(path, errno);
    // An archive that was added to names its folders again.
    if (!OpenBeneath(parent, path.back(), O_PATH | O_DIRECTORY)) return FailMember(path, EEXIST);
  }
  folders_.push_back({JoinArchivePath(path), attributes});
  return {};
}

Status Staging::AddLink(const Parts& path, const std::string& target) {
  ASSIGN_OR_RETURN(const int parent, Parent(path));
  if (::symlinkat(target.c_str(), parent, path.back().c_str()) != 0) return FailMember(path, errno);
  links_.push_back(JoinArchivePath(path));
  return {};
}

Status Staging::AddHardLink(const Parts& path, const Parts& target) {
  const std::string from = JoinArchivePath(target);
  UniqueFd file = OpenBeneath(staging_folder_.get(), from, O_PATH | O_NOFOLLOW);
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return RefuseArchiveMember(JoinArchivePath(path),
                               "is a link to what is no file in the archive before it");
  ASSIGN_OR_RETURN(const int parent, Parent(path));
  // Nobody else writes here, and no part of `from` is a link: it was opened without following any.
  if (::linkat(staging_folder_.get(), from.c_str(), parent, path.back().c_str(), 0) != 0)
    return FailMember(path, errno);
  return {};
}

Result<UniqueFd> Staging::AddFile(const Parts& path) {
  ASSIGN_OR_RETURN(const int parent, Parent(path));
  UniqueFd file(::openat(parent, path.back().c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return FailMember(path, errno);
  return file;
}

Status Staging::FinishFile(int file, Attributes attributes) {
  // Set-user-id and its like are dropped, and the owner can read what is his.
  if (::fchmod(file, (attributes.mode & 0777) | 0400) != 0)
    return FailArchiveCall("set a mode", errno);
  const timespec times[2] = {ModifiedAt(attributes.modified), ModifiedAt(attributes.modified)};
  ::futimens(file, times);  // not worth a failure
  return {};
}

Status Staging::CheckLinks() const {
  for (const std::string& link : links_) {
    const UniqueFd end = OpenBeneath(staging_folder_.get(), link, O_PATH, 0,
                                     RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
    if (!end && (errno == EXDEV || errno == EAGAIN))
      return RefuseArchiveMember(link, "is a link that leads out of the folder");
  }
  return {};
}

// The innermost first, so that none is closed before those within it are done.
void Staging::FinishFolders() const {
  for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) {
    const UniqueFd fd = OpenBeneath(staging_folder_.get(), folder->path, O_RDONLY | O_DIRECTORY);
    if (!fd) continue;
    // Its owner may work in it: to move a folder takes the right to write in it.
    ::fchmod(fd.get(), (folder->attributes.mode & 0777) | 0700);
    const timespec time = ModifiedAt(folder->attributes.modified);
    const timespec times[2] = {time, time};
    ::futimens(fd.get(), times);
  }
}

Status Staging::Merge() {
  RETURN_IF_ERROR(CheckLinks());
  RETURN_IF_ERROR(CheckMerge(staging_folder_.get(), target_.get()));
  FinishFolders();
  return ApplyMerge(staging_folder_.get(), target_.get());
}

}  // namespace viv::tools
