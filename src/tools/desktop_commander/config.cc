#include "tools/desktop_commander/config.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/ids.h"
#include "base/unique_fd.h"
#include "tools/kit/workspace.h"

namespace viv::tools::commander {
namespace {

constexpr std::size_t kConfigBytesMax = 256 << 10;
constexpr std::string_view kConfigVersion = "0.2.7";

// What an agent has no business to run. A hint rather than a barrier: the box is the barrier.
constexpr std::string_view kBlockedCommands[] = {
    "mkfs",     "format",   "mount",    "umount",   "fdisk",   "dd",      "parted",
    "diskpart", "sudo",     "su",       "passwd",   "adduser", "useradd", "usermod",
    "groupadd", "chsh",     "visudo",   "shutdown", "reboot",  "halt",    "poweroff",
    "init",     "iptables", "firewall", "netsh",    "sfc",     "bcdedit", "reg",
    "net",      "sc",       "runas",    "cipher",   "takeown"};

json::object DefaultConfig(const std::string& workspace) {
  json::array blocked;
  for (std::string_view command : kBlockedCommands) blocked.emplace_back(command);
  return {{"blockedCommands", std::move(blocked)},
          {"defaultShell", "/bin/sh"},
          {"allowedDirectories", json::array{workspace}},
          {"telemetryEnabled", true},  // as its original says; nothing is sent anywhere
          {"fileWriteLineLimit", 50},
          {"fileReadLineLimit", 1000},
          {"version", kConfigVersion},
          {"clientId", RandomUuid()}};
}

std::optional<json::object> ReadConfig(const std::string& file) {
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return std::nullopt;
  auto text = ReadAll(fd.get(), kConfigBytesMax);
  if (!text) return std::nullopt;
  auto parsed = ParseJson(*text);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  return std::move(parsed->get_object());
}

}  // namespace

std::string ConfigFile() {
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') return "";
  return std::string(home) + "/.claude-server-commander/config.json";
}

Config::Config(std::string file, const std::string& workspace)
    : file_(std::move(file)), values_(DefaultConfig(workspace)) {
  if (file_.empty()) return;
  if (auto kept = ReadConfig(file_))
    for (auto& [key, value] : *kept) values_[key] = value;
  values_["version"] = kConfigVersion;
}

json::object Config::Snapshot() const {
  const std::lock_guard lock(mutex_);
  return values_;
}

std::vector<std::string> Config::Strings(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> strings;
  const json::value* list = values_.if_contains(key);
  if (list == nullptr || !list->is_array()) return strings;
  for (const json::value& item : list->get_array())
    if (item.is_string()) strings.emplace_back(item.get_string());
  return strings;
}

std::vector<std::string> Config::BlockedCommands() const {
  return Strings("blockedCommands");
}

std::vector<std::string> Config::AllowedDirectories() const {
  {
    const std::lock_guard lock(mutex_);
    const json::value* list = values_.if_contains("allowedDirectories");
    if (list != nullptr && list->is_array() && list->get_array().empty()) return {"/"};
  }
  return Strings("allowedDirectories");
}

std::string Config::DefaultShell() const {
  const std::lock_guard lock(mutex_);
  const json::value* shell = values_.if_contains("defaultShell");
  return shell != nullptr && shell->is_string() && !shell->get_string().empty()
             ? std::string(shell->get_string())
             : "/bin/sh";
}

std::int64_t Config::WriteLineLimit() const {
  const std::lock_guard lock(mutex_);
  const json::value* limit = values_.if_contains("fileWriteLineLimit");
  return limit != nullptr && limit->is_int64() ? limit->get_int64() : 50;
}

Status Config::Set(std::string_view key, json::value value) {
  const std::lock_guard lock(mutex_);
  json::object changed = values_;
  changed[key] = std::move(value);
  if (WriteJson(changed).size() > kConfigBytesMax)
    return Fail(ErrorCode::kLimitExceeded, "the configuration would be larger than 256 KiB");
  values_ = std::move(changed);
  return Save();
}

void Config::Change(const std::function<void(json::object&)>& change) {
  const std::lock_guard lock(mutex_);
  change(values_);
  if (auto saved = Save(); !saved) return;  // notes that stay in memory
}

Status Config::Save() const {
  if (file_.empty()) return {};
  const auto failed = [this](int error) {
    return Fail(ErrorCode::kUnavailable, NodeErrorText(error, "open", file_));
  };
  const std::string folder = file_.substr(0, file_.rfind('/'));
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return failed(errno);
  const std::string fresh = file_ + "." + RandomHex(8);
  UniqueFd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return failed(errno);
  Status written = WriteAll(fd.get(), PrettyJson(values_));
  if (written && std::rename(fresh.c_str(), file_.c_str()) != 0) written = failed(errno);
  if (!written) ::unlink(fresh.c_str());
  return written;
}

}  // namespace viv::tools::commander
