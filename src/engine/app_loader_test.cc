#include "engine/app_loader.h"

#include <gmock/gmock.h>

#include "engine/test_app.h"

namespace viv::engine {
namespace {

using testing::HasSubstr;

class AppLoaderTest : public testing::Test {
 protected:
  std::string Complaint() {
    auto loaded = LoadApp(app_.folder());
    return loaded ? "" : loaded.error().message;
  }
  TestApp app_;
};

TEST_F(AppLoaderTest, LoadsAWholeApp) {
  auto loaded = LoadApp(app_.folder());
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ((*loaded)->profiles.size(), 2U);
  const Tool* tool = (*loaded)->tool((*loaded)->profile("default"), "add_note");
  ASSERT_NE(tool, nullptr);
  EXPECT_TRUE(tool->writes);
  EXPECT_FALSE((*loaded)->tool((*loaded)->profile("default"), "count_notes")->writes);
  EXPECT_EQ(json::serialize(tool->input_schema.at("required")), R"(["folder","text"])");
  EXPECT_EQ(&(*loaded)->profile("unheard of"), &(*loaded)->profile("default"));
}

TEST_F(AppLoaderTest, NamesFileAndLineOfBrokenSql) {
  app_.Write("tools/other.yaml", "");
  app_.Write("tools/notes.yaml",
             "- name: x\n  description: d\n  steps:\n    - run: INSERT INTO nowhere VALUES (1)\n  "
             "result: SELECT 1\n");
  EXPECT_THAT(Complaint(), HasSubstr("notes/tools/notes.yaml:4: prepare: no such table: nowhere"));
}

TEST_F(AppLoaderTest, NamesAVariableThatNothingSets) {
  app_.Write("tools/other.yaml", "");
  app_.Write("tools/notes.yaml", "- name: x\n  description: d\n  result: SELECT :mistyped\n");
  EXPECT_THAT(Complaint(), HasSubstr("tools/notes.yaml:3: :mistyped is neither an argument"));
}

TEST_F(AppLoaderTest, RefusesUnknownKeysAndBrokenYaml) {
  app_.Write("tools/notes.yaml", "- name: x\n  description: d\n  resul: SELECT 1\n");
  EXPECT_THAT(Complaint(), HasSubstr("tools/notes.yaml:3: unknown key 'resul'"));
  app_.Write("tools/notes.yaml", "- name: [x\n");
  EXPECT_THAT(Complaint(), HasSubstr("tools/notes.yaml:"));
  app_.Write("tools/notes.yaml", "- name: x\n  result: SELECT 1\n");
  EXPECT_THAT(Complaint(), HasSubstr("has no description"));
}

TEST_F(AppLoaderTest, RefusesYamlThatStandsForMoreThanItIs) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string level = std::to_string(i), below = "*a" + std::to_string(i - 1);
    std::string list = below;
    for (int j = 1; j < 10; ++j) list += ", " + below;
    bomb += "a" + level + ": &a" + level + " [" + list + "]\n";
  }
  app_.Write("tools/notes.yaml", bomb);
  EXPECT_THAT(Complaint(), HasSubstr("stands for more than a million values"));
  app_.Write("tools/notes.yaml", "- name: &itself [*itself]\n");
  EXPECT_THAT(Complaint(), HasSubstr("tools/notes.yaml:1: "));
  app_.Write("tools/notes.yaml", "&itself\nname: *itself\n");
  EXPECT_THAT(Complaint(), HasSubstr("tools/notes.yaml:"));
  app_.Write("tools/notes.yaml", std::string(100'000, '['));
  EXPECT_THAT(Complaint(), HasSubstr("tools/notes.yaml:"));
  std::string nested(300, '[');
  app_.Write("tools/notes.yaml", nested + std::string(300, ']'));
  EXPECT_THAT(Complaint(), HasSubstr("nested too deeply"));
  app_.Write("tools/notes.yaml", std::string((16 << 20) + 1, '#'));
  EXPECT_THAT(Complaint(), HasSubstr("larger than 16 MiB"));
}

TEST_F(AppLoaderTest, RefusesAStepWithoutItsParts) {
  app_.Write(
      "tools/notes.yaml",
      "- name: x\n  description: d\n  steps:\n    - require: SELECT 1\n  result: SELECT 1\n");
  EXPECT_THAT(Complaint(), HasSubstr(":4: 'require' needs an error text"));
  app_.Write("tools/notes.yaml",
             "- name: x\n  description: d\n  steps:\n    - use: nothing\n  result: SELECT 1\n");
  EXPECT_THAT(Complaint(), HasSubstr("there is no procedure 'nothing'"));
  app_.Write("tools/notes.yaml", "- name: x\n  like: y\n  description: d\n");
  EXPECT_THAT(Complaint(), HasSubstr("there is no tool 'y' above"));
}

TEST_F(AppLoaderTest, RefusesVirtualTablesWhoseTokenizersAreAddresses) {
  for (const char* module : {"fts3", "FTS4"}) {
    app_.Write("schema/words.sql", "-- words\nCREATE VIRTUAL TABLE words\n  USING " +
                                       std::string(module) + "(text);\n");
    EXPECT_THAT(Complaint(), HasSubstr("notes/schema/words.sql:3: the table 'words' uses fts"));
  }
  app_.Write("schema/words.sql", "CREATE VIRTUAL TABLE words USING fts5(text);\n");
  EXPECT_EQ(Complaint(), "");
}

TEST_F(AppLoaderTest, NamesWhatIsWrongWithASeed) {
  app_.Write("seed/default.json", R"({"folders": [{"name": "a"}, {"name": 5}]})");
  Catalogue catalogue({{app_.apps()}, app_.data()});
  auto load_errors = catalogue.Refresh();
  ASSERT_EQ(load_errors.size(), 1U);
  EXPECT_THAT(load_errors[0].message,
              HasSubstr("seed/default.json: folders[1].name: Input should be a valid string"));
}

TEST_F(AppLoaderTest, AChangedFolderIsANewVersionAndABadOneLeavesTheLastGoodOne) {
  Catalogue catalogue({{app_.apps()}, app_.data()});
  ASSERT_TRUE(catalogue.Refresh().empty());
  std::string first = Catalogue::VersionOf(*catalogue.Find("NOTES")->app);
  EXPECT_TRUE(catalogue.Refresh().empty());
  app_.Write("tools/other.yaml",
             "- {name: count, like: count_notes, description: Count all of them.}\n");
  ASSERT_TRUE(catalogue.Refresh().empty());
  std::string second = Catalogue::VersionOf(*catalogue.Find("notes")->app);
  EXPECT_NE(first, second);
  app_.Write("tools/other.yaml", "- nonsense\n");
  EXPECT_EQ(catalogue.Refresh().size(), 1U);
  EXPECT_EQ(Catalogue::VersionOf(*catalogue.Find("notes")->app), second);
  Catalogue later({{}, app_.data()});
  EXPECT_TRUE(later.FindVersion(first)) << "a version in use is there after a restart";
  EXPECT_FALSE(later.FindVersion("notes@../../x"));
}

}  // namespace
}  // namespace viv::engine
