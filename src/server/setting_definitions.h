#pragma once
// The table of all settings: the name of each in vivarium.yaml, in the environment and as a flag,
// its meaning and its valid values. The file, the environment and the command line are read with
// this table, so that all of them have every setting and check values in the same way.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/settings.h"

namespace CLI {
class App;
}

namespace viv::server {

struct SettingDefinition {
  using Field = std::variant<std::string Settings::*,
                             std::vector<std::string> Settings::*,
                             std::size_t Settings::*,
                             bool Settings::*>;
  std::string name;  // in vivarium.yaml
  std::string flag;  // "--name"
  Field field;
  std::string about;
  std::vector<std::string> choices = {};  // empty: anything
  std::size_t least = 0;                  // of a number

  std::string environment() const;  // "VIV_NAME"
  bool is_list() const { return field.index() == 1; }
  bool is_secret() const { return name == "key"; }  // its value is not shown
};

const std::vector<SettingDefinition>& AllSettings();
const SettingDefinition& FindSetting(std::string_view name);  // one of the table's own

// Sets the value of a setting; a single value of a list is its only item. kInvalidArgument says
// what is expected.
Status SetSetting(const SettingDefinition& definition,
                  Settings& settings,
                  const std::vector<std::string>& values);
// Its value as text; the items of a list are joined by commas.
std::string TextOfSetting(const SettingDefinition& definition, const Settings& settings);

// The setting's flag; `settings` outlives the parsing.
void AddSettingFlag(CLI::App& command, Settings& settings, std::string_view name);
// The flags of all that the server itself reads.
void AddServeFlags(CLI::App& command, Settings& settings);

}  // namespace viv::server
