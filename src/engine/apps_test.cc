// What every app of this repository promises.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "base/ids.h"
#include "engine/catalogue.h"
#include "engine/random_calls.h"
#include "engine/saved_state.h"
#include "engine/world.h"

namespace viv::engine {
namespace {

constexpr std::int64_t kStepsMax = 20'000'000;

// Where two values differ first; empty when they do not.
std::string FirstDifference(const json::value& a, const json::value& b, const std::string& path) {
  if (a == b) return "";
  if (a.is_object() && b.is_object()) {
    for (const auto& member : a.get_object()) {
      std::string location = path + "." + std::string(member.key());
      const json::value* other = b.get_object().if_contains(member.key());
      if (other == nullptr) return location + " is missing in the second";
      if (std::string found = FirstDifference(member.value(), *other, location); !found.empty())
        return found;
    }
    return path + " has more members in the second";
  }
  if (a.is_array() && b.is_array()) {
    for (std::size_t i = 0; i < std::min(a.get_array().size(), b.get_array().size()); ++i) {
      std::string found =
          FirstDifference(a.get_array()[i], b.get_array()[i], path + "[" + std::to_string(i) + "]");
      if (!found.empty()) return found;
    }
  }
  return path + ": " + json::serialize(a).substr(0, 300) + " and " +
         json::serialize(b).substr(0, 300);
}

class AppsTest : public testing::Test {
 protected:
  AppsTest() : data_(std::filesystem::temp_directory_path() / ("viv-test-" + RandomHex(12))) {}
  ~AppsTest() override { std::filesystem::remove_all(data_); }

  void ForEachProfile(const std::function<void(const LoadedAppPtr&, const Profile&)>& work) {
    Catalogue catalogue({{VIV_SOURCE_DIR "/apps"}, data_});
    for (const auto& load_error : catalogue.Refresh()) ADD_FAILURE() << load_error.message;
    ASSERT_GE(catalogue.List().size(), 8u);
    for (const LoadedAppPtr& loaded : catalogue.List()) {
      for (const Profile& profile : loaded->app->profiles) {
        SCOPED_TRACE(loaded->app->name + " " + profile.name);
        work(loaded, profile);
      }
    }
  }

  // A world whose time depends on nothing but its calls.
  World MakeWorld(const LoadedAppPtr& loaded, const Profile& profile) {
    World world(loaded, profile.name, data_ / RandomHex(12));
    if (profile.clock == ClockMode::kReal) {
      EXPECT_TRUE(world.SetClock(ClockMode::kTick, loaded->app->clock_start_ms));
    }
    return world;
  }

  // Calls that succeeded.
  static std::size_t Act(World& world, RandomCalls& calls, int count) {
    std::size_t succeeded = 0;
    for (int i = 0; i < count; ++i) {
      if (i % 20 == 0) calls.Learn(world);
      RandomCalls::Call call = calls.Next();
      auto answer = world.Call(call.tool->name, call.arguments, kStepsMax);
      EXPECT_TRUE(answer || answer.error().code == ErrorCode::kLimitExceeded)
          << call.tool->name << " " << json::serialize(call.arguments) << ": "
          << answer.error().message;
      if (answer && !answer->is_error) ++succeeded;
    }
    return succeeded;
  }

  // A second world that loads what the first one saves is the same and goes on the same.
  void CheckSave(const LoadedAppPtr& loaded, const Profile& profile, World& world) {
    auto saved = world.Save();
    ASSERT_TRUE(saved) << saved.error().message;
    // Over the wire and back.
    auto sent = ParseJson(WriteJson(*saved), 512);
    ASSERT_TRUE(sent) << sent.error().message;
    World second = MakeWorld(loaded, profile);
    auto report = second.Initialize(World::StartFrom::kEmpty, *sent);
    ASSERT_TRUE(report) << report.error().message;
    auto again = second.Save();
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(FirstDifference(*saved, *again, ""), "");
    auto diff = second.Diff();
    ASSERT_TRUE(diff);
    EXPECT_TRUE(diff->at("tables").as_object().empty());
    RandomCalls calls(*loaded->app, profile, 77);
    calls.Learn(second);
    World fork = MakeWorld(loaded, profile);  // the first world itself stays as it is
    ASSERT_TRUE(fork.CopyFrom(world));
    for (int i = 0; i < 10; ++i) {
      RandomCalls::Call call = calls.Next();
      auto here = fork.Call(call.tool->name, call.arguments, kStepsMax);
      auto there = second.Call(call.tool->name, call.arguments, kStepsMax);
      ASSERT_EQ(here.has_value(), there.has_value());
      if (here) {
        EXPECT_EQ(here->text, there->text) << call.tool->name;
      }
    }
  }

  // What the vendor's document says comes back in any world; in the same one everything does.
  void CheckDump(const LoadedAppPtr& loaded, const Profile& profile, World& world) {
    auto dump = world.Dump(DumpForm::kVendor);
    ASSERT_TRUE(dump) << dump.error().message;
    for (const Problem& problem : CheckDocument(loaded->app->model, *dump))
      ADD_FAILURE() << LocationText(problem) << ": " << problem.message;
    LoadReport report;
    auto again = DumpAgain(loaded, profile, *dump, report);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(FirstDifference(*dump, *again, ""), "");
    // Nothing at all means an empty account, and the seed's own dump means the seed.
    if (report.records == 0 || IsDumpOfSeed(loaded, profile, *dump)) return;
    auto before = world.Save();
    auto in_place = world.Initialize(World::StartFrom::kEmpty, *dump);
    ASSERT_TRUE(in_place) << in_place.error().message;
    EXPECT_EQ(in_place->records, report.records);
    EXPECT_EQ(in_place->by_collection, report.by_collection);
    auto after = world.Save();
    ASSERT_TRUE(before && after);
    EXPECT_EQ(FirstDifference(*before, *after, ""), "");
  }

  bool IsDumpOfSeed(const LoadedAppPtr& loaded, const Profile& profile, const json::value& dump) {
    World seeded(loaded, profile.name, data_ / RandomHex(12));
    auto own = seeded.Dump(DumpForm::kVendor);
    return own && *own == dump;
  }

  // A seed comes back whole in every world of its kind, whatever happened there.
  void CheckDumpOfSeed(const LoadedAppPtr& loaded, const Profile& profile) {
    World seeded(loaded, profile.name, data_ / RandomHex(12));
    auto dump = seeded.Dump(DumpForm::kVendor);
    auto saved = seeded.Save();
    ASSERT_TRUE(dump && saved);
    World other(loaded, profile.name, data_ / RandomHex(12));
    RandomCalls calls(*loaded->app, profile, 4);
    Act(other, calls, 10);
    ASSERT_TRUE(other.Initialize(World::StartFrom::kEmpty, *dump));
    auto again = other.Save();
    ASSERT_TRUE(again);
    EXPECT_EQ(FirstDifference(*saved, *again, ""), "");
    ASSERT_TRUE(other.Initialize(World::StartFrom::kEmpty, json::object()));
    auto empty = other.Save();
    ASSERT_TRUE(empty);
    EXPECT_NE(FirstDifference(*saved, *empty, ""), "");
  }

  // The dump of an empty account that loads the document.
  static Result<json::value> DumpAgain(const LoadedAppPtr& loaded,
                                       const Profile& profile,
                                       const json::value& document,
                                       LoadReport& report) {
    Pages pages(loaded->EmptyImage(profile));
    ASSIGN_OR_RETURN(Sessions::Lease session, loaded->sessions->Take(pages));
    RETURN_IF_ERROR(session->Begin());
    ASSIGN_OR_RETURN(report, LoadDocument(*session, document));
    return DumpDocument(*session, DumpForm::kVendor);
  }

  std::filesystem::path data_;
};

TEST_F(AppsTest, AStateIsSavedAndLoadedWhole) {
  ForEachProfile([&](const LoadedAppPtr& loaded, const Profile& profile) {
    World world = MakeWorld(loaded, profile);
    CheckSave(loaded, profile, world);
    RandomCalls calls(*loaded->app, profile, 1);
    std::size_t succeeded = Act(world, calls, 100);
    RecordProperty(loaded->app->name + "_" + profile.name, static_cast<int>(succeeded));
    if (!loaded->app->model.empty()) {
      EXPECT_GE(succeeded, 10u);
      EXPECT_GE(world.changed_pages(), 1u);
    }
    CheckSave(loaded, profile, world);
  });
}

TEST_F(AppsTest, AFullDocumentStandsInPlaceOfTheBaseData) {
  ForEachProfile([&](const LoadedAppPtr& loaded, const Profile& profile) {
    if (loaded->app->model.empty()) return;
    World world = MakeWorld(loaded, profile);
    auto document = world.Dump(DumpForm::kFull);
    ASSERT_TRUE(document) << document.error().message;
    World other = MakeWorld(loaded, profile);
    auto report = other.Initialize(World::StartFrom::kEmpty, *document);
    ASSERT_TRUE(report) << report.error().message;
    auto again = other.Dump(DumpForm::kVendor);
    auto before = world.Dump(DumpForm::kVendor);
    ASSERT_TRUE(again && before);
    EXPECT_EQ(FirstDifference(*before, *again, ""), "");
  });
}

TEST_F(AppsTest, ReadingIsNoChange) {
  ForEachProfile([&](const LoadedAppPtr& loaded, const Profile& profile) {
    World world = MakeWorld(loaded, profile);
    RandomCalls calls(*loaded->app, profile, 5);
    calls.Learn(world);
    for (const std::string& name : profile.tools) {
      const Tool& tool = *loaded->app->tool(profile, name);
      const json::value* hint = tool.annotations.if_contains("readOnlyHint");
      if (hint == nullptr || !hint->is_bool() || !hint->get_bool()) continue;
      for (int i = 0; i < 4; ++i) (void)world.Call(name, calls.ForTool(tool).arguments, kStepsMax);
      auto diff = world.Diff();
      ASSERT_TRUE(diff);
      EXPECT_TRUE(diff->at("tables").as_object().empty()) << name << ": " << json::serialize(*diff);
    }
  });
}

TEST_F(AppsTest, ADumpInitializesAgainToTheSame) {
  ForEachProfile([&](const LoadedAppPtr& loaded, const Profile& profile) {
    if (loaded->app->model.empty()) return;
    World seeded = MakeWorld(loaded, profile);
    CheckDump(loaded, profile, seeded);
    CheckDumpOfSeed(loaded, profile);
    World acted = MakeWorld(loaded, profile);
    RandomCalls calls(*loaded->app, profile, 2);
    for (int count : {20, 80}) {
      Act(acted, calls, count);
      CheckDump(loaded, profile, acted);
    }
  });
}

}  // namespace
}  // namespace viv::engine
