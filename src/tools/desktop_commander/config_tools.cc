// get_config and set_config_value.

#include "tools/desktop_commander/commander.h"

namespace viv::tools::commander {
namespace {

json::object SystemInfo() {
  return {{"platform", "linux"},
          {"platformName", "Linux"},
          {"defaultShell", "bash"},
          {"pathSeparator", "/"},
          {"isWindows", false},
          {"isMacOS", false},
          {"isLinux", true},
          {"examplePaths",
           {{"home", "/home/username"}, {"temp", "/tmp"}, {"absolute", "/path/to/file.txt"}}}};
}

ToolResult GetConfigTool(Commander& commander, const Arguments&, const CallContext&) {
  json::object config = commander.config.Snapshot();
  // Many callers share this process; the benchmark's own client calls itself so.
  config["currentClient"] = {{"name", "mcp"}, {"version", "0.1.0"}};
  config["systemInfo"] = SystemInfo();
  return Text("Current configuration:\n" + PrettyJson(config));
}

// Agents often give a list as text, and one directory without its list.
json::value AsSetting(std::string_view key, const json::value& given) {
  json::value value = given;
  if (value.is_string()) {
    const std::string_view text = View(value.get_string());
    if (text.starts_with('[') || text.starts_with('{'))
      if (auto parsed = ParseJson(text)) value = *std::move(parsed);
  }
  const bool wants_list = key == "allowedDirectories" || key == "blockedCommands";
  if (wants_list && !value.is_array()) value = json::array{value};
  return value;
}

ToolResult SetConfigTool(Commander& commander, const Arguments& arguments, const CallContext&) {
  const std::string key = arguments.Text("key");
  const json::value* given = arguments.values().if_contains("value");
  if (given == nullptr) return ErrorText("Invalid arguments: value: Required");
  if (key.empty() || key.size() > 200)
    return ErrorText("Error setting value: a key has 1 to 200 bytes");
  const json::value value = AsSetting(key, *given);
  if (Status set = commander.config.Set(key, value); !set) {
    if (set.error().code == ErrorCode::kLimitExceeded)
      return ErrorText("Error setting value: " + set.error().message);
    return ErrorText("Value changed in memory but couldn't be saved to disk: " +
                     set.error().message);
  }
  return Text("Successfully set " + key + " to " + PrettyJson(value) +
              "\n\nUpdated configuration:\n" + PrettyJson(commander.config.Snapshot()));
}

}  // namespace

void AddConfigTools(Binder& binder) {
  binder.On("get_config", GetConfigTool);
  binder.On("set_config_value", SetConfigTool);
}

}  // namespace viv::tools::commander
