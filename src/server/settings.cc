#include "server/settings.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include <yaml-cpp/yaml.h>

#include "base/text.h"
#include "server/setting_definitions.h"

namespace viv::server {
namespace {

namespace fs = std::filesystem;

// The values of a YAML node: of a list its items, else the one there is.
std::vector<std::string> ValuesOf(const YAML::Node& node) {
  if (node.IsSequence()) return node.as<std::vector<std::string>>();
  return {node.as<std::string>()};
}

const SettingDefinition* FindOrNull(std::string_view name) {
  for (const SettingDefinition& it : AllSettings())
    if (it.name == name) return &it;
  return nullptr;
}

// A folder that comes with the program: installed, or in the tree it was built from.
std::string FindBeside(const std::string& name) {
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& folder :
       {program / name, program / "../.." / name, program / "../share/vivarium" / name}) {
    if (fs::is_directory(folder, error)) return fs::canonical(folder, error).string();
  }
  return "";
}

}  // namespace

Status ReadSettingsFile(const std::string& path, Settings& settings) {
  auto wrong = [&](int line, const std::string& message) {
    return Fail(ErrorCode::kInvalidArgument,
                path + ":" + std::to_string(line + 1) + ": " + message);
  };
  try {
    YAML::Node top = YAML::LoadFile(path);
    if (top.IsNull()) return {};
    if (!top.IsMap()) return wrong(0, "a map of settings is expected");
    for (const auto& member : top) {
      auto name = member.first.as<std::string>();
      const SettingDefinition* definition = FindOrNull(name);
      if (definition == nullptr) {
        std::vector<std::string> known;
        for (const SettingDefinition& it : AllSettings()) known.push_back(it.name);
        return wrong(member.first.Mark().line,
                     "unknown setting '" + name + "'; known: " + JoinWithOr(known));
      }
      Status set = SetSetting(*definition, settings, ValuesOf(member.second));
      if (!set) return wrong(member.second.Mark().line, name + ": " + set.error().message);
    }
    return {};
  } catch (const YAML::BadFile&) {
    return Fail(ErrorCode::kNotFound, path + ": the file cannot be read");
  } catch (const YAML::Exception& e) {
    return wrong(e.mark.line, e.msg);
  }
}

Status ReadEnvironment(Settings& settings) {
  for (const SettingDefinition& definition : AllSettings()) {
    const char* text = std::getenv(definition.environment().c_str());
    if (text == nullptr || *text == '\0') continue;
    std::vector<std::string> values;
    if (definition.is_list()) {
      for (std::string_view item : Split(text, ','))
        if (!Trim(item).empty()) values.emplace_back(Trim(item));
    } else {
      values.emplace_back(text);
    }
    RETURN_IF_ERROR(SetSetting(definition, settings, values), definition.environment());
  }
  return {};
}

bool Address::is_loopback() const {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

Result<Address> ParseAddress(const std::string& text) {
  std::size_t colon = text.rfind(':');
  Address address;
  unsigned port = 0;
  const char* end = text.data() + text.size();
  auto read = colon == std::string::npos
                  ? std::from_chars_result{nullptr, std::errc::invalid_argument}
                  : std::from_chars(text.data() + colon + 1, end, port);
  if (read.ec != std::errc() || read.ptr != end || port > 65535 || colon == 0) {
    return Fail(ErrorCode::kInvalidArgument,
                "listen: HOST:PORT is expected, such as 127.0.0.1:7373, not '" + text + "'");
  }
  address.host = text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']'))
    address.host = address.host.substr(1, address.host.size() - 2);
  if (address.host == "localhost") address.host = "127.0.0.1";
  address.port = static_cast<std::uint16_t>(port);
  return address;
}

std::string DefaultDataFolder() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0')
    return std::string(data) + "/vivarium";
  const char* home = std::getenv("HOME");
  return std::string(home == nullptr ? "." : home) + "/.local/share/vivarium";
}

std::string FindBuiltinApps() {
  return FindBeside("apps");
}

std::string FindBuiltinProfiles() {
  return FindBeside("profiles");
}

}  // namespace viv::server
