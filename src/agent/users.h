#pragma once
// The box's users, read from its own /etc/passwd and /etc/group, whose content is hostile: the
// files are read again on each lookup, with limits, and never by libc's resolvers (a static program
// has none).

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace viv::agent {

struct User {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
  std::string home;
  std::string shell;
  std::vector<gid_t> groups;  // supplementary ones
};

class Users {
 public:
  Users() = default;
  explicit Users(std::string folder) : folder_(std::move(folder)) {}
  std::optional<User> Find(std::string_view name) const;
  // "name", "uid", "name:group" or "uid:gid", as container images name them. A uid that nobody has
  // is a user without a home, of group 0; a group that is named is the only one.
  std::optional<User> Resolve(std::string_view text) const;
  std::string NameOf(uid_t uid) const;       // the number when it has no name
  std::string GroupNameOf(gid_t gid) const;  // the same

 private:
  std::optional<User> FindById(uid_t uid) const;
  std::optional<gid_t> FindGroup(std::string_view name) const;

  std::string folder_ = "/etc";
};

}  // namespace viv::agent
