#include "templates/box_user.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <set>

#include "base/text.h"
#include "base/unique_fd.h"
#include "templates/folder_writer.h"
#include "templates/system_files.h"

namespace viv::templates {
namespace {

constexpr std::size_t kAccountsBytesMax = 1 << 20;

struct Account {
  std::string name;
  std::uint32_t id = 0;
};

// Of passwd or group: the name is the first field, the number the third.
std::vector<Account> ReadAccounts(std::string_view text) {
  std::vector<Account> accounts;
  for (const std::string_view line : Split(text, '\n')) {
    const auto fields = Split(line, ':');
    if (fields.size() < 3) continue;
    Account account{.name = std::string(fields[0])};
    const auto [end, error] =
        std::from_chars(fields[2].data(), fields[2].data() + fields[2].size(), account.id);
    if (error == std::errc() && end == fields[2].data() + fields[2].size())
      accounts.push_back(std::move(account));
  }
  return accounts;
}

std::optional<std::uint32_t> FindAccount(const std::vector<Account>& accounts,
                                         std::string_view name) {
  for (const Account& account : accounts) {
    if (account.name == name) return account.id;
  }
  return std::nullopt;
}

// 1000 where nobody has it, else the next that is free.
std::uint32_t FreeId(const std::vector<Account>& accounts) {
  std::set<std::uint32_t> taken;
  for (const Account& account : accounts) taken.insert(account.id);
  std::uint32_t id = kUserId;
  while (taken.contains(id)) ++id;
  return id;
}

std::string WithLine(std::string text, const std::string& line) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text + line + "\n";
}

int OpenInLayer(int layer,
                const std::string& path,
                std::uint64_t flags,
                std::uint64_t resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = resolve | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(syscall(SYS_openat2, layer, path.c_str(), &how, sizeof how));
}

bool IsOpaqueAbove(int layer, const std::string& path) {
  for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    const UniqueFd folder(OpenInLayer(layer, path.substr(0, at), O_RDONLY | O_DIRECTORY));
    char value = 0;
    if (folder && fgetxattr(folder.get(), "trusted.overlay.opaque", &value, 1) == 1 && value == 'y')
      return true;
  }
  return false;
}

bool Exists(const std::vector<std::string>& layers, const std::string& path) {
  for (const std::string& layer : layers) {
    const UniqueFd root(open(layer.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const UniqueFd found(OpenInLayer(root.get(), path, O_PATH, RESOLVE_IN_ROOT));
    struct stat status {};
    if (found && fstat(found.get(), &status) == 0) return !S_ISCHR(status.st_mode);
  }
  return false;
}

// An image may do without accounts; then its processes are root all the same.
std::string WithRoot(const std::string& accounts, const std::string& line) {
  for (const Account& account : ReadAccounts(accounts))
    if (account.id == 0 || account.name == "root") return accounts;
  return line + "\n" + accounts;
}

Result<BoxUser> AddUser(const FolderWriter& top, const std::vector<std::string>& layers) {
  const bool has_bash = Exists(layers, "bin/bash") || Exists(layers, "usr/bin/bash");
  const std::string shell = has_bash ? "/bin/bash" : "/bin/sh";
  const std::string old_passwd = ReadThroughLayers(layers, "etc/passwd");
  const std::string old_group = ReadThroughLayers(layers, "etc/group");
  std::string passwd = WithRoot(old_passwd, "root:x:0:0:root:/root:" + shell);
  std::string group = WithRoot(old_group, "root:x:0:");
  const auto users = ReadAccounts(passwd);
  const auto groups = ReadAccounts(group);
  BoxUser user;
  const auto group_id = FindAccount(groups, "user");
  user.group = group_id.value_or(FreeId(groups));
  if (!group_id) group = WithLine(group, "user:x:" + std::to_string(user.group) + ":");
  const auto user_id = FindAccount(users, "user");
  user.id = user_id.value_or(FreeId(users));
  if (!user_id)
    passwd = WithLine(passwd, "user:x:" + std::to_string(user.id) + ":" +
                                  std::to_string(user.group) + ":user:/home/user:" + shell);
  if (group != old_group) RETURN_IF_ERROR(top.File("etc/group", group));
  if (passwd != old_passwd) RETURN_IF_ERROR(top.File("etc/passwd", passwd));
  const std::string shadow = ReadThroughLayers(layers, "etc/shadow");
  if (!user_id && !shadow.empty())
    RETURN_IF_ERROR(
        top.File("etc/shadow", WithLine(shadow, "user:*:19000:0:99999:7:::"),
                 {.mode = 0640, .user = 0, .group = FindAccount(groups, "shadow").value_or(0)}));
  return user;
}

// The account an image names in USER.
std::string ChooseUser(const std::string& asked, const std::vector<std::string>& layers) {
  const std::string name = asked.substr(0, asked.find(':'));
  if (name.empty()) return "user";
  for (const Account& account : ReadAccounts(ReadThroughLayers(layers, "etc/passwd"))) {
    if (account.name == name || std::to_string(account.id) == name) return account.name;
  }
  return "user";
}

}  // namespace

std::string ReadThroughLayers(const std::vector<std::string>& layers, const std::string& path) {
  for (const std::string& layer : layers) {
    const UniqueFd root(open(layer.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!root) return {};
    const UniqueFd file(OpenInLayer(root.get(), path, O_RDONLY | O_NONBLOCK));
    if (!file) {  // a whiteout is a device that cannot be opened
      if (errno != ENOENT || IsOpaqueAbove(root.get(), path)) return {};
      continue;
    }
    struct stat status {};
    if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    if (static_cast<std::size_t>(status.st_size) > kAccountsBytesMax) return {};
    std::string text(static_cast<std::size_t>(status.st_size), 0);
    const ssize_t got = read(file.get(), text.data(), text.size());
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
  }
  return {};
}

Result<FinishedLayer> MakeTopLayer(const std::string& folder,
                                   const std::vector<std::string>& layers,
                                   const std::string& asked_user,
                                   const std::string& template_id,
                                   const Progress& progress) {
  ASSIGN_OR_RETURN(const FolderWriter top, FolderWriter::Create(folder));
  ASSIGN_OR_RETURN(const BoxUser user, AddUser(top, layers), "add the account 'user'");
  RETURN_IF_ERROR(WriteHome(top, user));
  RETURN_IF_ERROR(WriteNetworkFiles(top));
  RETURN_IF_ERROR(WriteMountPoints(top));
  RETURN_IF_ERROR(WriteMarkers(top, template_id));
  RETURN_IF_ERROR(top.Folder("usr/local", {.mode = 0777}));
  RETURN_IF_ERROR(top.Folder("usr/local/bin", {.mode = 0777}));
  if (!Exists(layers, "bin/bash") && !Exists(layers, "usr/bin/bash"))
    progress("Warning: there is no bash, with which E2B's clients run their commands");
  std::vector<std::string> all = layers;
  all.insert(all.begin(), folder);
  return FinishedLayer{.folder = folder, .user = ChooseUser(asked_user, all)};
}

}  // namespace viv::templates
