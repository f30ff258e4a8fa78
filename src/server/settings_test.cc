#include "server/settings.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include <CLI/CLI.hpp>

#include "base/ids.h"
#include "server/setting_definitions.h"

namespace viv::server {
namespace {

// Three values for a setting that differ from each other and from its default.
std::vector<std::string> Samples(const SettingDefinition& definition) {
  if (definition.choices.size() == 2)  // the file's and the flag's must be those that differ
    return {definition.choices[0], definition.choices[1], definition.choices[0]};
  if (!definition.choices.empty())
    return {definition.choices[0], definition.choices[1], definition.choices[2]};
  if (definition.field.index() == 2) return {"11", "12", "13"};
  if (definition.field.index() == 3) return {"false", "true", "false"};
  return {"from-file", "from-environment", "from-flag"};
}

std::string OneFlag(const SettingDefinition& definition, const std::string& value) {
  const std::string flag = definition.flag.substr(0, definition.flag.find(','));
  return flag + "=" + value;
}

class SettingsTest : public testing::TestWithParam<SettingDefinition> {
 protected:
  SettingsTest()
      : file_(testing::TempDir() + "viv-settings-" + RandomHex(8) + ".yaml"),
        samples_(Samples(GetParam())) {}
  ~SettingsTest() override {
    ::unsetenv(GetParam().environment().c_str());
    std::filesystem::remove(file_);
  }

  void ReadFile() {
    std::ofstream(file_) << GetParam().name << ": "
                         << (GetParam().is_list() ? "[" + samples_[0] + "]" : samples_[0]) << "\n";
    EXPECT_TRUE(ReadSettingsFile(file_, settings_));
  }
  void SetVariable() { ::setenv(GetParam().environment().c_str(), samples_[1].c_str(), 1); }
  void ParseFlag(std::vector<std::string> arguments) {
    CLI::App app;
    AddSettingFlag(app, settings_, GetParam().name);
    app.parse(std::move(arguments));
  }
  std::string Value() const { return TextOfSetting(GetParam(), settings_); }

  const std::string file_;
  const std::vector<std::string> samples_;
  Settings settings_;
};

TEST_P(SettingsTest, FlagsWinOverTheEnvironmentAndThatOverTheFile) {
  ReadFile();
  EXPECT_EQ(Value(), samples_[0]);
  SetVariable();
  EXPECT_TRUE(ReadEnvironment(settings_));
  EXPECT_EQ(Value(), samples_[1]);
  ParseFlag({});
  EXPECT_EQ(Value(), samples_[1]);
  ParseFlag({OneFlag(GetParam(), samples_[2])});
  EXPECT_EQ(Value(), samples_[2]);
}

TEST_P(SettingsTest, AnEmptyVariableIsNone) {
  ReadFile();
  ::setenv(GetParam().environment().c_str(), "", 1);
  EXPECT_TRUE(ReadEnvironment(settings_));
  EXPECT_EQ(Value(), samples_[0]);
}

std::string NameOfCase(const testing::TestParamInfo<SettingDefinition>& tested) {
  return tested.param.name;
}
INSTANTIATE_TEST_SUITE_P(All, SettingsTest, testing::ValuesIn(AllSettings()), NameOfCase);

TEST(SettingTableTest, EveryFieldOfSettingsIsInTheTable) {
  std::ifstream in(VIV_SOURCE_DIR "/src/server/settings.h");
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  text = text.substr(text.find("struct Settings {"));
  text = text.substr(0, text.find("\n};"));
  const std::regex field(R"(\n  (?:std::string|std::size_t|bool|std::vector<std::string>) \w+)");
  auto count = std::distance(std::sregex_iterator(text.begin(), text.end(), field), {});
  EXPECT_EQ(static_cast<std::size_t>(count), AllSettings().size());
  const std::regex line(R"(\n  [^/\s][^\n]*;)");  // of any type
  auto lines = std::distance(std::sregex_iterator(text.begin(), text.end(), line), {});
  EXPECT_EQ(static_cast<std::size_t>(lines), AllSettings().size());
}

TEST(SettingTableTest, EverySettingButTheClientsIsAFlagOfServe) {
  Settings settings;
  CLI::App app;
  AddServeFlags(app, settings);
  for (const SettingDefinition& it : AllSettings()) {
    auto* option = app.get_option_no_throw(it.flag.substr(0, it.flag.find(',')));
    EXPECT_EQ(option != nullptr, it.name != "url") << it.name;
  }
}

TEST(SettingTableTest, HelpShowsDefaultsButNoKey) {
  Settings settings;
  settings.key = "e2b_secret";
  settings.data = "/srv/data";
  CLI::App app;
  AddServeFlags(app, settings);
  EXPECT_NE(app.help().find("/srv/data"), std::string::npos);
  EXPECT_EQ(app.help().find("e2b_secret"), std::string::npos);
}

TEST(SettingTableTest, BadValuesAreRefusedWhereverTheyComeFrom) {
  Settings settings;
  EXPECT_FALSE(SetSetting(FindSetting("threads"), settings, {"-1"}));
  EXPECT_FALSE(SetSetting(FindSetting("mcp_page"), settings, {"0"}));
  EXPECT_FALSE(SetSetting(FindSetting("boxes"), settings, {"perhaps"}));
  EXPECT_FALSE(SetSetting(FindSetting("sync"), settings, {"perhaps"}));
  EXPECT_FALSE(SetSetting(FindSetting("listen"), settings, {"a", "b"}));
  CLI::App app;
  AddServeFlags(app, settings);
  EXPECT_THROW(app.parse(std::vector<std::string>{"--boxes=perhaps"}), CLI::ValidationError);
  ::setenv("VIV_LOG_LEVEL", "loud", 1);
  Status read = ReadEnvironment(settings);
  ::unsetenv("VIV_LOG_LEVEL");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("VIV_LOG_LEVEL"), std::string::npos);
}

TEST(SettingTableTest, AListsFlagTakesOneItemEachAndVariablesAreDividedByCommas) {
  Settings settings;
  CLI::App app;
  AddSettingFlag(app, settings, "apps");
  std::string name;
  app.add_option("name", name);
  std::vector<std::string> arguments{"--apps", "one", "slack", "--apps", "two"};
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants it
  app.parse(arguments);
  EXPECT_EQ(settings.apps, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(name, "slack");
  ::setenv("VIV_APPS", "three, four", 1);
  EXPECT_TRUE(ReadEnvironment(settings));
  ::unsetenv("VIV_APPS");
  EXPECT_EQ(settings.apps, (std::vector<std::string>{"three", "four"}));
}

}  // namespace
}  // namespace viv::server
