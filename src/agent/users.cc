#include "agent/users.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <charconv>
#include <cstdint>
#include <functional>

#include "base/text.h"
#include "base/unique_fd.h"

namespace viv::agent {
namespace {

constexpr std::size_t kAccountFileBytesMax = 1024 * 1024;
constexpr std::size_t kAccountLineBytesMax = 64 * 1024;
constexpr std::size_t kAccountFieldsMax = 16;
constexpr std::size_t kSupplementaryGroupsMax = 256;
constexpr std::size_t kGroupMembersMax = 4'096;

// The file's text; empty when it is missing or no regular file, cut off at the limit. A fifo in its
// place must not hold us up.
std::string ReadAccountFile(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  std::string text;
  char buffer[4096];
  while (text.size() < kAccountFileBytesMax) {
    ssize_t count = ::read(file.get(), buffer, sizeof buffer);
    if (count <= 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

// The all-ones id means "leave as it is" to the kernel, so that no user may have it.
std::optional<std::uint32_t> AccountId(std::string_view text) {
  std::uint32_t id = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (id == UINT32_MAX) return std::nullopt;
  return id;
}

using AccountFields = std::vector<std::string_view>;

// Calls `use` with the fields of each line until it returns false.
void ForEachAccount(std::string_view text, const std::function<bool(const AccountFields&)>& use) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty() || line.front() == '#' || line.size() > kAccountLineBytesMax) continue;
    AccountFields fields = Split(line, ':');
    if (fields.size() > kAccountFieldsMax || fields[0].empty()) continue;
    if (!use(fields)) return;
  }
}

std::string NameOfId(const std::string& path, std::uint32_t id) {
  std::string name;
  std::string text = ReadAccountFile(path);
  ForEachAccount(text, [&](const AccountFields& fields) {
    if (fields.size() < 3 || AccountId(fields[2]) != id) return true;
    name = fields[0];
    return false;
  });
  return name.empty() ? std::to_string(id) : name;
}

std::vector<gid_t> GroupsOf(const std::string& path, std::string_view user) {
  std::vector<gid_t> groups;
  std::string text = ReadAccountFile(path);
  ForEachAccount(text, [&](const AccountFields& fields) {
    if (fields.size() < 4) return true;
    auto gid = AccountId(fields[2]);
    std::size_t seen = 0;
    for (std::string_view member : Split(fields[3], ',')) {
      if (++seen > kGroupMembersMax) break;
      if (gid && member == user) {
        groups.push_back(*gid);
        break;
      }
    }
    return groups.size() < kSupplementaryGroupsMax;
  });
  return groups;
}

}  // namespace

std::optional<User> Users::Find(std::string_view name) const {
  std::optional<User> found;
  if (name.empty()) return found;
  std::string text = ReadAccountFile(folder_ + "/passwd");
  ForEachAccount(text, [&](const AccountFields& fields) {
    if (fields.size() < 7 || fields[0] != name) return true;
    auto uid = AccountId(fields[2]);
    auto gid = AccountId(fields[3]);
    if (!uid || !gid) return true;
    found = User{.name = std::string(name),
                 .uid = *uid,
                 .gid = *gid,
                 .home = std::string(fields[5]),
                 .shell = std::string(fields[6]),
                 .groups = {}};
    return false;
  });
  // An image need not have a file of users; its programs run as root all the same.
  if (!found && name == "root") found = User{"root", 0, 0, "/root", "/bin/sh", {}};
  if (!found) return found;
  if (!found->home.starts_with('/')) found->home = "/";
  found->groups = GroupsOf(folder_ + "/group", name);
  return found;
}

std::optional<User> Users::FindById(uid_t uid) const {
  if (auto known = Find(NameOf(uid)); known && known->uid == uid) return known;
  User stranger{
      .name = std::to_string(uid), .uid = uid, .gid = 0, .home = "/", .shell = "", .groups = {}};
  return stranger;
}

std::optional<gid_t> Users::FindGroup(std::string_view name) const {
  if (auto id = AccountId(name)) return id;
  std::optional<gid_t> found;
  std::string text = ReadAccountFile(folder_ + "/group");
  ForEachAccount(text, [&](const AccountFields& fields) {
    if (fields.size() >= 3 && fields[0] == name) found = AccountId(fields[2]);
    return !found;
  });
  return found;
}

std::optional<User> Users::Resolve(std::string_view text) const {
  std::size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  std::optional<User> user = Find(name);
  if (!user) {
    if (auto uid = AccountId(name)) user = FindById(*uid);
  }
  if (!user || colon == std::string_view::npos) return user;
  std::optional<gid_t> group = FindGroup(text.substr(colon + 1));
  if (!group) return std::nullopt;
  user->gid = *group;
  user->groups.clear();
  return user;
}

std::string Users::NameOf(uid_t uid) const {
  return NameOfId(folder_ + "/passwd", uid);
}

std::string Users::GroupNameOf(gid_t gid) const {
  return NameOfId(folder_ + "/group", gid);
}

}  // namespace viv::agent
