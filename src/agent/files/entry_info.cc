#include "agent/files/entry_info.h"

#include <stdlib.h>

#include <memory>

#include "agent/files/paths.h"
#include "base/timestamp.h"

namespace viv::agent {
namespace {

std::string_view FileTypeName(mode_t mode) {
  if (S_ISREG(mode)) return "FILE_TYPE_FILE";
  if (S_ISDIR(mode)) return "FILE_TYPE_DIRECTORY";
  if (S_ISLNK(mode)) return "FILE_TYPE_SYMLINK";
  return "FILE_TYPE_UNSPECIFIED";
}

struct FreeText {
  void operator()(char* text) const { ::free(text); }
};

}  // namespace

Entry MakeEntry(std::string path, const struct stat& info) {
  Entry entry;
  entry.path = std::move(path);
  entry.info = info;
  if (S_ISLNK(info.st_mode)) {
    std::unique_ptr<char, FreeText> resolved(::realpath(entry.path.c_str(), nullptr));
    entry.target = resolved ? std::string(resolved.get()) : entry.path;
    struct stat target {};
    if (::stat(entry.path.c_str(), &target) == 0) entry.target_info = target;
  }
  entry.metadata = ReadMetadata(entry.path);
  return entry;
}

ErrnoOr<Entry> ReadEntry(std::string path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return FailWithErrno();
  return MakeEntry(std::move(path), info);
}

const std::string& OwnerNames::User(uid_t uid) {
  auto found = user_names_.find(uid);
  if (found == user_names_.end()) found = user_names_.emplace(uid, users_.NameOf(uid)).first;
  return found->second;
}

const std::string& OwnerNames::Group(gid_t gid) {
  auto found = group_names_.find(gid);
  if (found == group_names_.end()) found = group_names_.emplace(gid, users_.GroupNameOf(gid)).first;
  return found->second;
}

json::object RenderEntry(const Entry& entry, OwnerNames& names) {
  json::object out;
  out["name"] = ValidUtf8(BaseOf(entry.path));
  mode_t type = entry.info.st_mode;
  mode_t mode = entry.info.st_mode;
  if (entry.target) {  // for a link, the target's information is shown
    type = entry.target_info ? entry.target_info->st_mode : 0;
    mode = type;
  }
  out["type"] = FileTypeName(type);
  out["path"] = ValidUtf8(entry.path);
  out["size"] = std::to_string(entry.info.st_size);
  out["mode"] = mode & 0777;
  out["permissions"] = PermissionsText(entry.info.st_mode);
  out["owner"] = ValidUtf8(names.User(entry.info.st_uid));
  out["group"] = ValidUtf8(names.Group(entry.info.st_gid));
  const struct timespec& modified = entry.info.st_mtim;
  out["modifiedTime"] = FormatTimestamp({modified.tv_sec, static_cast<int>(modified.tv_nsec)});
  if (entry.target) {
    out["symlinkTarget"] = ValidUtf8(*entry.target);
    out["isSymlink"] = true;
  }
  if (!entry.metadata.empty()) {
    json::object metadata;
    for (const auto& [key, value] : entry.metadata) metadata[ValidUtf8(key)] = ValidUtf8(value);
    out["metadata"] = std::move(metadata);
  }
  return out;
}

std::string PermissionsText(mode_t mode) {
  std::string text;
  if (S_ISDIR(mode)) text += 'd';
  if (S_ISLNK(mode)) text += 'L';
  if (S_ISBLK(mode) || S_ISCHR(mode)) text += 'D';
  if (S_ISFIFO(mode)) text += 'p';
  if (S_ISSOCK(mode)) text += 'S';
  if ((mode & S_ISUID) != 0) text += 'u';
  if ((mode & S_ISGID) != 0) text += 'g';
  if (S_ISCHR(mode)) text += 'c';
  if ((mode & S_ISVTX) != 0) text += 't';
  if (text.empty()) text = "-";
  constexpr std::string_view kLetters = "rwxrwxrwx";
  for (std::size_t bit = 0; bit < kLetters.size(); ++bit) {
    text += (mode & (0400U >> bit)) != 0 ? kLetters[bit] : '-';
  }
  return text;
}

}  // namespace viv::agent
