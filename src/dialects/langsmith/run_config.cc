#include "dialects/langsmith/run_config.h"

#include <algorithm>
#include <utility>

namespace viv::langsmith {
namespace {

constexpr std::size_t kUserBytesMax = 64;
constexpr std::size_t kWorkDirBytesMax = 4095;

bool IsAccountName(std::string_view name) {
  if (name.empty() || name.size() > kUserBytesMax || name.front() == '-') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  });
}

// "name", "uid", "name:group" or "uid:gid".
bool IsUser(std::string_view user) {
  std::size_t colon = user.find(':');
  if (colon == std::string_view::npos) return IsAccountName(user);
  return IsAccountName(user.substr(0, colon)) && IsAccountName(user.substr(colon + 1));
}

}  // namespace

Checked<RunConfig> ReadRunConfig(const json::value& given) {
  RunConfig config;
  if (given.is_null()) return config;
  FieldErrors field_errors;
  Members members(given, {"run_config"}, field_errors);
  const std::string user = members.Text("user").value_or("");
  if (!user.empty()) {
    if (!IsUser(user)) members.Refuse("user", "name, uid, name:group or uid:gid is expected");
    config.user = user;
  }
  const std::string work_dir = members.Text("work_dir", kWorkDirBytesMax).value_or("");
  if (!work_dir.empty()) {
    if (work_dir.front() != '/' || work_dir.find('\0') != std::string::npos)
      members.Refuse("work_dir", "an absolute path is expected");
    config.work_dir = work_dir;
  }
  config.env_vars = ReadVariables(members, "env_vars");
  if (!field_errors.none()) return tl::unexpected(field_errors.first());
  return config;
}

RunConfig OverlayRunConfig(RunConfig base, const RunConfig& overlay) {
  if (overlay.user) base.user = overlay.user;
  if (overlay.work_dir) base.work_dir = overlay.work_dir;
  for (const auto& [name, value] : overlay.env_vars) base.env_vars[name] = value;
  return base;
}

json::object ShowRunConfig(const RunConfig& config) {
  json::object shown;
  if (config.user) shown["user"] = *config.user;
  if (config.work_dir) shown["work_dir"] = *config.work_dir;
  if (!config.env_vars.empty()) {
    json::object variables;
    for (const auto& [name, value] : config.env_vars) variables[name] = value;
    shown["env_vars"] = std::move(variables);
  }
  return shown;
}

}  // namespace viv::langsmith
