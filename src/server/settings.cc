#include "server/settings.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>

#include <yaml-cpp/yaml.h>

#include "base/text.h"

namespace viv::server {
namespace {

namespace fs = std::filesystem;

using Setter = std::function<void(const YAML::Node&)>;

std::map<std::string, Setter> Setters(Settings& settings) {
  auto text = [](std::string& to) {
    return [&to](const YAML::Node& node) { to = node.as<std::string>(); };
  };
  auto list = [](std::vector<std::string>& to) {
    return [&to](const YAML::Node& node) { to = node.as<std::vector<std::string>>(); };
  };
  auto count = [](auto& to) {
    return [&to](const YAML::Node& node) { to = node.as<std::decay_t<decltype(to)>>(); };
  };
  return {
      {"listen", text(settings.listen)},
      {"data", text(settings.data)},
      {"key", text(settings.key)},
      {"apps", list(settings.apps)},
      {"builtin_apps", text(settings.builtin_apps)},
      {"public_url", text(settings.public_url)},
      {"allowed_origins", list(settings.allowed_origins)},
      {"tls_certificate", text(settings.tls_certificate)},
      {"tls_key", text(settings.tls_key)},
      {"log_format", text(settings.log_format)},
      {"log_level", text(settings.log_level)},
      {"threads", count(settings.threads)},
      {"body_bytes_max", count(settings.body_bytes_max)},
      {"connections_max", count(settings.connections_max)},
      {"pool_max", count(settings.pool_max)},
      {"mcp_page", count(settings.mcp_page)},
      {"sync", count(settings.sync)},
      {"boxes", text(settings.boxes)},
      {"agent", text(settings.agent)},
      {"tools", text(settings.tools)},
      {"builtin_profiles", text(settings.builtin_profiles)},
      {"local_data", text(settings.local_data)},
      {"on_exit", text(settings.on_exit)},
      {"boxes_max", count(settings.boxes_max)},
      {"parked", count(settings.parked)},
      {"servers", text(settings.servers)},
      {"domain", text(settings.domain)},
      {"tls_listen", text(settings.tls_listen)},
      {"resolvers", list(settings.resolvers)},
      {"open_private", list(settings.open_private)},
      {"egress_ca", list(settings.egress_cas)},
      {"accept_no_disk_limit", count(settings.accept_no_disk_limit)},
  };
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
    std::map<std::string, Setter> setters = Setters(settings);
    for (const auto& member : top) {
      auto name = member.first.as<std::string>();
      auto setter = setters.find(name);
      if (setter == setters.end()) {
        std::vector<std::string> known;
        for (const auto& [key, ignored] : setters) known.push_back(key);
        return wrong(member.first.Mark().line,
                     "unknown setting '" + name + "'; known: " + JoinWithOr(known));
      }
      setter->second(member.second);
    }
    return {};
  } catch (const YAML::BadFile&) {
    return Fail(ErrorCode::kNotFound, path + ": the file cannot be read");
  } catch (const YAML::Exception& e) {
    return wrong(e.mark.line, e.msg);
  }
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
