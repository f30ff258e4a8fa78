#include "local/workspace_content.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/errno_error.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "local/local_servers.h"

namespace viv::local {
namespace {

constexpr std::string_view kHistoryEnding = ".fast-import";
constexpr int kContentFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

tl::unexpected<Error> NotForAWorkspace(const std::string& path, const std::string& why) {
  return Fail(ErrorCode::kInvalidArgument, Printable(path) + " " + why);
}

// Whether a link at `path` points to a place in the workspace, going by names alone. That is for
// tidiness: what a link in a box leads to is the box's own in any case.
bool StaysInside(const std::string& path, std::string_view target) {
  std::vector<std::string_view> at = Split(path, '/');
  at.pop_back();
  if (target.starts_with('/')) {
    const std::string root = std::string(kWorkspace) + "/";
    if (target != kWorkspace && !target.starts_with(root)) return false;
    target.remove_prefix(kWorkspace.size());
    at.clear();
  }
  for (std::string_view part : Split(target, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      at.push_back(part);
    } else if (at.empty()) {
      return false;
    } else {
      at.pop_back();
    }
  }
  return true;
}

Result<std::vector<std::string>> NamesIn(int folder, const std::string& path) {
  UniqueFd again(::openat(folder, ".", kContentFolderFlags));
  DIR* listing = again ? ::fdopendir(again.get()) : nullptr;
  if (listing == nullptr) return FailErrno(ErrorCode::kUnavailable, "list " + path);
  again.release();
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(listing)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    if (names.size() > kContentEntriesMax) break;
  }
  ::closedir(listing);
  std::sort(names.begin(), names.end());
  return names;
}

class ContentLister {
 public:
  Status List(int folder, const std::string& path, std::size_t depth) {
    if (depth > kContentDepthMax)
      return NotForAWorkspace(path, "lies too deep: 64 folders at most");
    ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(folder, path));
    for (const std::string& name : names)
      RETURN_IF_ERROR(Add(folder, name, path.empty() ? name : path + "/" + name, depth));
    return {};
  }
  std::vector<ContentEntry> Take() { return std::move(entries_); }

 private:
  Status Add(int folder, const std::string& name, const std::string& path, std::size_t depth) {
    struct stat status {};
    if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      return FailErrno(ErrorCode::kUnavailable, "read " + path);
    ContentEntry entry;
    entry.path = path;
    entry.mode = status.st_mode & 0777U;
    entry.modified = status.st_mtim;
    if (S_ISDIR(status.st_mode)) {
      entry.kind = ContentEntry::Kind::kFolder;
    } else if (S_ISREG(status.st_mode)) {
      entry.kind = name.size() > kHistoryEnding.size() && name.ends_with(kHistoryEnding)
                       ? ContentEntry::Kind::kHistory
                       : ContentEntry::Kind::kFile;
      entry.size = status.st_size;
    } else if (S_ISLNK(status.st_mode)) {
      entry.kind = ContentEntry::Kind::kLink;
      RETURN_IF_ERROR(ReadLink(folder, name, entry));
    } else {
      return NotForAWorkspace(path, "is a device, socket or pipe: files, folders and links only");
    }
    bytes_ += entry.size;
    if (entries_.size() >= kContentEntriesMax)
      return NotForAWorkspace(path, fmt::format("is one too many: {} at most", kContentEntriesMax));
    if (bytes_ > kContentBytesMax) return NotForAWorkspace(path, "is too much: 16 GiB at most");
    entries_.push_back(entry);
    if (entry.kind != ContentEntry::Kind::kFolder) return {};
    const UniqueFd below(::openat(folder, name.c_str(), kContentFolderFlags));
    if (!below) return FailErrno(ErrorCode::kUnavailable, "open " + path);
    return List(below.get(), path, depth + 1);
  }

  static Status ReadLink(int folder, const std::string& name, ContentEntry& entry) {
    char target[PATH_MAX];
    const ssize_t size = ::readlinkat(folder, name.c_str(), target, sizeof target);
    if (size < 0) return FailErrno(ErrorCode::kUnavailable, "read " + entry.path);
    entry.target.assign(target, static_cast<std::size_t>(size));
    if (StaysInside(entry.path, entry.target)) return {};
    return NotForAWorkspace(
        entry.path, "is a link that leads out of the workspace, to " + Printable(entry.target));
  }

  std::vector<ContentEntry> entries_;
  std::int64_t bytes_ = 0;
};

}  // namespace

Result<std::vector<ContentEntry>> ListContent(const std::string& folder) {
  const UniqueFd root(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) return FailErrno(ErrorCode::kUnavailable, "open " + folder);
  ContentLister lister;
  RETURN_IF_ERROR(lister.List(root.get(), "", 0), folder);
  return lister.Take();
}

std::string DescribeContent(const std::vector<ContentEntry>& entries) {
  std::string text;
  for (const ContentEntry& entry : entries) {
    // A folder's time changes with what is in it, which is described by itself.
    const timespec modified =
        entry.kind == ContentEntry::Kind::kFolder ? timespec{} : entry.modified;
    // With lengths, for a name may hold anything.
    text += fmt::format("{} {:o} {} {}.{} {}:{} {}:{}\n", static_cast<int>(entry.kind), entry.mode,
                        entry.size, modified.tv_sec, modified.tv_nsec, entry.path.size(),
                        entry.path, entry.target.size(), entry.target);
  }
  return text;
}

}  // namespace viv::local
