// servers.yaml: the operator's own stdio servers.

#include <charconv>
#include <filesystem>
#include <set>

#include "engine/yaml.h"
#include "local/local_servers.h"

namespace viv::local {
namespace {

using engine::Yaml;

constexpr std::size_t kServersMax = 256;
constexpr std::size_t kArgumentsMax = 256;
constexpr std::int64_t kIdleSecondsMax = 86'400;
constexpr std::int64_t kStartSecondsMax = 3600;

std::string PlainText(const Yaml& value) {
  std::string text = value.Text();
  if (text.find('\0') != std::string::npos) value.ThrowError("a NUL character in a text");
  return text;
}

// `command` is a program, with its arguments in `args`; a list there is both in one.
std::vector<std::string> ReadCommand(const Yaml& server) {
  std::vector<std::string> words;
  const Yaml command = server["command"];
  if (!command.exists()) server.ThrowError("command is missing: the program that speaks MCP");
  if (command.is_list()) {
    command.ForEachItem([&](const Yaml& word) { words.push_back(PlainText(word)); });
  } else {
    words.push_back(PlainText(command));
  }
  server["args"].ForEachItem([&](const Yaml& word) { words.push_back(PlainText(word)); });
  if (words.empty() || words[0].empty()) command.ThrowError("command must name a program");
  if (words.size() > kArgumentsMax) command.ThrowError("more than 256 arguments");
  return words;
}

std::int64_t ReadSeconds(const Yaml& server,
                         const char* name,
                         std::int64_t most,
                         std::int64_t fallback) {
  const Yaml value = server[name];
  if (!value.exists()) return fallback;
  const std::string text = value.Text();
  std::int64_t seconds = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 1 || seconds > most) {
    value.ThrowError(std::string(name) + " must be a whole number from 1 to " +
                     std::to_string(most) + ", not '" + text + "'");
  }
  return seconds;
}

LocalServer ReadLocalServer(const std::string& name, const Yaml& value) {
  if (!IsLocalServerName(name)) {
    value.ThrowError("'" + name +
                     "' is no name of a server: up to 64 lower-case letters, digits, '-' and '_'");
  }
  if (!value.is_map()) value.ThrowError("a server is a map with at least a command");
  value.AllowOnly(
      {"command", "args", "env", "template", "idle_seconds", "start_seconds", "description"});
  LocalServer server;
  server.name = name;
  server.command = ReadCommand(value);
  value["env"].ForEachMember([&](const std::string& variable, const Yaml& text) {
    if (variable.empty() || variable.find('=') != std::string::npos) {
      text.ThrowError("'" + variable + "' is no name of a variable");
    }
    server.variables[variable] = PlainText(text);
  });
  server.template_name = value["template"].Text("");
  server.idle_seconds = ReadSeconds(value, "idle_seconds", kIdleSecondsMax, server.idle_seconds);
  server.start_seconds =
      ReadSeconds(value, "start_seconds", kStartSecondsMax, server.start_seconds);
  server.description = value["description"].Text("");
  return server;
}

std::vector<LocalServer> ReadAllServers(const std::string& folder, const std::string& file) {
  const Yaml top = Yaml::ReadFile(folder, file);
  std::vector<LocalServer> servers;
  if (!top.exists()) return servers;
  if (!top.is_map()) top.ThrowError("a map with the key servers is expected");
  top.AllowOnly({"servers"});
  std::set<std::string> seen;
  top["servers"].ForEachMember([&](const std::string& name, const Yaml& value) {
    if (!seen.insert(name).second) value.ThrowError("the server '" + name + "' is named twice");
    if (seen.size() > kServersMax) value.ThrowError("more than 256 servers");
    servers.push_back(ReadLocalServer(name, value));
  });
  return servers;
}

}  // namespace

Result<std::vector<LocalServer>> ReadServersFile(const std::string& path) {
  const std::filesystem::path place(path);
  const std::string folder = place.has_parent_path() ? place.parent_path().string() : ".";
  const std::string shown = place.has_parent_path() ? folder + "/" : "";
  try {
    return ReadAllServers(folder, place.filename().string());
  } catch (const engine::LoadFailure& failure) {
    return Fail(ErrorCode::kInvalidArgument, shown + failure.message);
  } catch (const YAML::Exception& error) {
    return Fail(ErrorCode::kInvalidArgument,
                path + ":" + std::to_string(error.mark.line + 1) + ": " + error.msg);
  }
}

}  // namespace viv::local
