#include "engine/saved_state.h"

#include <gtest/gtest.h>

#include "engine/test_app.h"
#include "engine/world.h"

namespace viv::engine {
namespace {

class SavedStateTest : public testing::Test {
 protected:
  SavedStateTest() {
    app_.Write("schema.sql", R"(
CREATE TABLE person (name TEXT PRIMARY KEY);
CREATE TABLE folder (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, hidden INTEGER NOT NULL DEFAULT 0);
CREATE TABLE note (id INTEGER PRIMARY KEY, folder_id INTEGER NOT NULL REFERENCES folder (id) ON DELETE CASCADE,
  text TEXT NOT NULL, tags TEXT, stars INTEGER, created_ms INTEGER NOT NULL,
  size INTEGER GENERATED ALWAYS AS (length(text)));
CREATE VIRTUAL TABLE note_text USING fts5(text, content='note', content_rowid='id');
CREATE VIRTUAL TABLE memo USING fts5(text);
CREATE TABLE change (what TEXT);
CREATE TRIGGER note_added AFTER INSERT ON note BEGIN
  INSERT INTO note_text (rowid, text) VALUES (NEW.id, NEW.text);
  INSERT INTO memo (text) VALUES ('memo of ' || NEW.text);
  INSERT INTO change VALUES ('added');
END;
CREATE TABLE odd (a, b, c, PRIMARY KEY (a, b)) WITHOUT ROWID;
INSERT INTO odd VALUES (0.1, x'00ff', 9007199254740993), (2.0, 'text', 1e300), ('ü', CAST(x'ff' AS TEXT), NULL);
)");
    app_.Write("tools/other.yaml", R"(
- {name: add, like: add_note, description: Add a note.}
- name: find
  description: Find notes and memos.
  input: {q: {type: string, required: true}}
  result: >
    SELECT json_object('notes', (SELECT json_group_array(rowid) FROM note_text WHERE note_text MATCH :q),
      'memos', (SELECT json_group_array(rowid) FROM memo WHERE memo MATCH :q))
)");
    loaded_ = app_.Load();
  }

  World Make() { return World(loaded_, "Other", app_.data() + "/" + RandomHex(8)); }

  static std::string Text(World& world, const char* tool, const json::object& arguments) {
    auto answer = world.Call(tool, arguments, 0);
    return answer ? answer->text : answer.error().message;
  }

  // A world with two notes.
  void Fill(World& world) {
    auto document = ParseJson(R"({"folders": [{"name": "inbox"}]})");
    ASSERT_TRUE(world.Initialize(World::StartFrom::kEmpty, *document));
    for (const char* text : {"first apple", "second pear"})
      ASSERT_NE(Text(world, "add", {{"folder", "inbox"}, {"text", text}}).find("id"),
                std::string::npos);
  }

  TestApp app_;
  LoadedAppPtr loaded_;
};

TEST_F(SavedStateTest, BringsBackEveryValueAndIndexAndRunsNoTrigger) {
  World world = Make();
  Fill(world);
  auto saved = world.Save();
  ASSERT_TRUE(saved) << saved.error().message;
  auto sent = ParseJson(WriteJson(*saved), 512);
  ASSERT_TRUE(sent);
  World other = Make();
  Fill(other);
  Text(other, "add", {{"folder", "inbox"}, {"text", "third apple"}});
  auto report = other.Initialize(World::StartFrom::kEmpty, *sent);
  ASSERT_TRUE(report) << report.error().message;
  auto again = other.Save();
  ASSERT_TRUE(again);
  EXPECT_EQ(json::serialize(*again), json::serialize(*saved));
  EXPECT_EQ(saved->at("_world").at("tables").at("change").at("rows").as_array().size(), 2u);
  EXPECT_EQ(Text(other, "find", {{"q", "apple"}}), Text(world, "find", {{"q", "apple"}}));
  EXPECT_NE(Text(other, "find", {{"q", "apple"}}).find("1"), std::string::npos);
  EXPECT_EQ(Text(other, "find", {{"q", "third"}}).find("3"), std::string::npos);
  // Triggers and references hold again afterwards.
  EXPECT_EQ(Text(other, "add", {{"folder", "inbox"}, {"text", "fourth"}}),
            Text(world, "add", {{"folder", "inbox"}, {"text", "fourth"}}));
  EXPECT_NE(Text(other, "find", {{"q", "fourth"}}).find("3"), std::string::npos);
}

TEST_F(SavedStateTest, LoadingWritesOnlyWhatDiffers) {
  World world = Make();
  auto saved = world.Save();
  ASSERT_TRUE(saved);
  World other = Make();
  ASSERT_TRUE(other.Initialize(World::StartFrom::kEmpty, *saved));
  EXPECT_LE(other.changed_pages(), 12u);  // the index is made anew
}

TEST_F(SavedStateTest, RefusesWhatDoesNotFitAndChangesNothing) {
  World world = Make();
  Fill(world);
  auto saved = world.Save();
  ASSERT_TRUE(saved);
  json::value wrong = *saved;
  wrong.at("_world").at("tables").at("note").at("rows").as_array()[0].as_array()[1] = 77;
  auto report = world.Initialize(World::StartFrom::kEmpty, wrong);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(report.error().message,
            "_world: a row of note refers to one of folder that is not there");
  EXPECT_EQ(json::serialize(*world.Save()), json::serialize(*saved));
}

}  // namespace
}  // namespace viv::engine
