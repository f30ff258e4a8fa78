#include "engine/world.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "engine/test_app.h"

namespace viv::engine {
namespace {

using testing::HasSubstr;

class WorldTest : public testing::Test {
 protected:
  World Make(const std::string& name = "world", const std::string& profile = "default") {
    std::filesystem::create_directories(app_.data());
    World world(loaded_, profile, app_.data() + "/" + name + ".log");
    EXPECT_TRUE(world.Open());
    return world;
  }
  static std::string Add(World& world, const std::string& text) {
    auto result = world.Call("add_note", {{"folder", "inbox"}, {"text", text}}, 0);
    EXPECT_TRUE(result && !result->is_error) << (result ? result->text : result.error().message);
    return result ? result->text : "";
  }
  static std::string Count(World& world) {
    auto result = world.Call("count_notes", {}, 0);
    return result ? result->text : result.error().message;
  }
  bool HasFile(const std::string& name = "world") {
    return std::filesystem::exists(app_.data() + "/" + name + ".log");
  }

  TestApp app_;
  LoadedAppPtr loaded_ = app_.Load();
};

TEST_F(WorldTest, AChangeIsThereAfterReopening) {
  {
    World world = Make();
    EXPECT_FALSE(HasFile()) << "an unchanged world has no file";
    Add(world, "second");
    EXPECT_EQ(Count(world), "2");
  }
  World again = Make();
  EXPECT_EQ(Count(again), "2");
  EXPECT_EQ(again.Diff()->at("summary").at("inserted"), 1);
}

TEST_F(WorldTest, ResetBringsTheSeedBackAndLeavesNoFile) {
  World world = Make();
  Add(world, "second");
  EXPECT_TRUE(HasFile());
  ASSERT_TRUE(world.Reset());
  EXPECT_EQ(Count(world), "1");
  EXPECT_FALSE(HasFile());
}

TEST_F(WorldTest, ClonesAnswerTheSameCallsAlike) {
  World a = Make("a");
  World b = Make("b");
  EXPECT_EQ(Add(a, "x"), Add(b, "x"));
  EXPECT_NE(Add(a, "y"), Add(a, "y"));
}

TEST_F(WorldTest, AFailedCallLeavesNoTrace) {
  World world = Make();
  auto refused = world.Call("add_note", {{"folder", "inbox"}, {"text", "bad"}}, 0);
  ASSERT_TRUE(refused);
  EXPECT_TRUE(refused->is_error);
  EXPECT_EQ(refused->text, "bad text");
  auto unknown = world.Call("add_note", {{"folder", "nowhere"}, {"text", "x"}}, 0);
  EXPECT_EQ(unknown->text, "no folder nowhere");
  EXPECT_EQ(Count(world), "1");
  EXPECT_FALSE(HasFile());
}

TEST_F(WorldTest, WrongArgumentsAreNamedBeforeAnythingRuns) {
  World world = Make();
  EXPECT_THAT(world.Call("add_note", {{"folder", 5}, {"text", "x"}}, 0)->text,
              HasSubstr("5 is not of type 'string'"));
  EXPECT_THAT(world.Call("add_note", {{"folder", "x"}}, 0)->text,
              HasSubstr("'text' is a required property"));
  EXPECT_EQ(world.Call("nope", {}, 0).error().code, ErrorCode::kNotFound);
}

TEST_F(WorldTest, AToolWithAnOutputSchemaAnswersStructured) {
  World world = Make();
  auto result = world.Call("statistics", {}, 0);
  ASSERT_TRUE(result && result->structured);
  EXPECT_EQ(result->structured->at("notes"), 1);
  EXPECT_FALSE(world.Call("count_notes", {}, 0)->structured);
}

TEST_F(WorldTest, ValuesNeverBecomeSql) {
  World world = Make();
  auto result =
      world.Call("add_note", {{"folder", "inbox"}, {"text", "'); DROP TABLE note; --"}}, 0);
  EXPECT_FALSE(result->is_error);
  EXPECT_EQ(Count(world), "2");
}

TEST_F(WorldTest, ACallThatNeverEndsIsStoppedAndChangesNothing) {
  World world = Make();
  EXPECT_EQ(world.Call("forever", {}, 100'000).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(Count(world), "1");
}

TEST_F(WorldTest, ATornRecordIsDroppedAndOverwritten) {
  std::string path = app_.data() + "/world.log";
  {
    World world = Make();
    Add(world, "second");
    Add(world, "third");
  }
  auto size = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, size - 3);
  {
    World world = Make();
    EXPECT_EQ(Count(world), "2") << "the last call was never whole on disk";
    Add(world, "third again");
  }
  World world = Make();
  EXPECT_EQ(Count(world), "3");
}

TEST_F(WorldTest, ALogOfSomethingElseIsRefused) {
  std::filesystem::create_directories(app_.data());
  std::ofstream(app_.data() + "/world.log") << "not a log at all, but long enough to look like one";
  World world(loaded_, "default", app_.data() + "/world.log");
  EXPECT_FALSE(world.Open());
}

TEST_F(WorldTest, AnUnwritableLogTakesTheChangeBack) {
  World world = Make("missing-folder/world");
  auto result = world.Call("add_note", {{"folder", "inbox"}, {"text", "x"}}, 0);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(Count(world), "1");
}

TEST_F(WorldTest, ManyCallsKeepTheLogSmall) {
  World world = Make();
  std::string large(3000, 'x');
  for (int i = 0; i < 300; ++i) Add(world, large);
  for (int i = 0; i < 1500; ++i) (void)world.SetClock(ClockMode::kFrozen, i);
  EXPECT_LT(std::filesystem::file_size(app_.data() + "/world.log"), 8U << 20);
  World again = Make();
  EXPECT_EQ(Count(again), "301");
}

// The log's file stays open between calls; what takes its place must be the file that is written.
TEST_F(WorldTest, ChangesAfterAResetOrARewriteGoToTheNewFile) {
  {
    World world = Make();
    Add(world, "second");
    ASSERT_TRUE(world.Reset());
    EXPECT_FALSE(std::filesystem::exists(app_.data() + "/world.log"));
    Add(world, "second again");
    ASSERT_TRUE(world.Initialize(World::StartFrom::kDefault, json::value()));
    Add(world, "one");
    Add(world, "two");
  }
  World world = Make();
  EXPECT_EQ(Count(world), "3");
}

TEST_F(WorldTest, AForkSharesTheStateAndTheStart) {
  World origin = Make("origin");
  Add(origin, "second");
  World fork = Make("fork");
  ASSERT_TRUE(fork.CopyFrom(origin));
  Add(fork, "third");
  EXPECT_EQ(Count(origin), "2");
  EXPECT_EQ(Count(fork), "3");
  World reopened = Make("fork");
  EXPECT_EQ(Count(reopened), "3");
  EXPECT_EQ(reopened.Diff()->at("summary").at("inserted"), 2);
}

TEST_F(WorldTest, InitializeReplacesTheStateAndCountsAsTheStart) {
  World world = Make();
  Add(world, "second");
  json::value document = *ParseJson(
      R"({"folders": [{"title": "new", "notes": [{"text": "a", "tags": ["x", "y"], "stars": 2}]}]})");
  ASSERT_TRUE(CheckDocument(world.app().model, document).empty());
  auto report = world.Initialize(World::StartFrom::kEmpty, document);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->records, 2);
  EXPECT_EQ(report->by_collection.at("folders"), 1);
  auto expected =
      R"({"folders":[{"name":"new","hidden":false,"notes":[{"text":"a","tags":["x","y"],"stars":2}]}]})";
  EXPECT_EQ(json::serialize(*world.Dump(DumpForm::kVendor)), expected);
  EXPECT_TRUE(world.Diff()->at("tables").as_object().empty());
  World again = Make();
  EXPECT_EQ(json::serialize(*again.Dump(DumpForm::kVendor)), expected);
  EXPECT_TRUE(again.Dump(DumpForm::kFull)->as_object().contains("people"));
  ASSERT_TRUE(again.Reset());
  EXPECT_EQ(Count(again), "1");
}

TEST_F(WorldTest, ADocumentThatBreaksAConstraintChangesNothing) {
  World world = Make();
  json::value document = *ParseJson(R"({"folders": [{"name": "twice"}, {"name": "twice"}]})");
  auto report = world.Initialize(World::StartFrom::kEmpty, document);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(report.error().message,
            "folders[1]: name \"twice\" is there already; use it only once");
  EXPECT_EQ(Count(world), "1");
}

TEST_F(WorldTest, ProfilesHaveTheirOwnToolsAndSeed) {
  World world = Make("other", "Other");
  EXPECT_EQ(world.Call("count", {}, 0)->text, "0");
  EXPECT_FALSE(world.Call("count_notes", {}, 0));
}

TEST_F(WorldTest, TheDiffShowsInsertedUpdatedAndDeletedRows) {
  World world = Make();
  Add(world, "second");
  auto diff = world.Diff();
  ASSERT_TRUE(diff);
  EXPECT_EQ(diff->at("tables").at("note").at("inserted").at(0).at("text"), "second");
  EXPECT_TRUE(diff->at("tables").at("note").at("updated").as_array().empty());
}

TEST_F(WorldTest, VerifyReadsAndNothingElse) {
  World world = Make();
  Add(world, "second");
  auto expect = [&](std::string_view text) { return world.Verify(ParseJson(text)->as_array()); };
  EXPECT_EQ(expect(R"([{"sql": "SELECT count(*) FROM note", "equals": 2}])")->at("passed"), true);
  EXPECT_EQ(
      expect(R"([{"sql": "SELECT text FROM note ORDER BY id", "rows": [["first"], ["second"]]}])")
          ->at("passed"),
      true);
  EXPECT_EQ(expect(R"([{"json": "$.folders[0].notes[1].text", "equals": "second"}])")->at("passed"),
            true);
  EXPECT_EQ(expect(R"([{"unchanged": ["note"]}])")->at("results").at(0).at("reason"),
            "note has changed");
  EXPECT_EQ(expect(R"([{"sql": "DELETE FROM note", "equals": 0}])").error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(
      expect(R"([{"sql": "SELECT 1 FROM note; DELETE FROM note", "equals": 1}])").error().code,
      ErrorCode::kInvalidArgument);
  EXPECT_EQ(Count(world), "2");
}

}  // namespace
}  // namespace viv::engine
