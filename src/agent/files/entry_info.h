#pragma once
// The information about a file that callers get: envd's EntryInfo. It is read as the user and
// rendered with the box's user names.

#include <sys/stat.h>

#include <map>
#include <optional>
#include <string>

#include "agent/files/file_result.h"
#include "agent/files/metadata.h"
#include "agent/users.h"
#include "base/json.h"

namespace viv::agent {

struct Entry {
  std::string path;
  struct stat info {};  // of the link, where it is one
  std::optional<std::string>
      target;  // of a link: its final target; the link itself when it is dangling
  std::optional<struct stat> target_info;
  Metadata metadata;
};

// To be called as the user.
ErrnoOr<Entry> ReadEntry(std::string path);
Entry MakeEntry(std::string path, const struct stat& info);

// The names of users and groups, looked up once each; lives for one request, since the box may
// change them.
class OwnerNames {
 public:
  explicit OwnerNames(const Users& users) : users_(users) {}
  const std::string& User(uid_t uid);
  const std::string& Group(gid_t gid);

 private:
  const Users& users_;
  std::map<uid_t, std::string> user_names_;
  std::map<gid_t, std::string> group_names_;
};

json::object RenderEntry(const Entry& entry, OwnerNames& names);

std::string PermissionsText(mode_t mode);  // "-rw-r--r--", in Go's letters: "Lrwxrwxrwx"

}  // namespace viv::agent
