// What every app of this repository promises.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/ids.h"
#include "engine/catalogue.h"
#include "engine/world.h"

namespace viv::engine {
namespace {

class AppsTest : public testing::Test {
 protected:
  AppsTest() : data_(std::filesystem::temp_directory_path() / ("viv-test-" + RandomHex(12))) {}
  ~AppsTest() override { std::filesystem::remove_all(data_); }
  std::filesystem::path data_;
};

TEST_F(AppsTest, ADumpInitializesAgainToTheSame) {
  Catalogue catalogue({{VIV_SOURCE_DIR "/apps"}, data_});
  for (const auto& trouble : catalogue.Refresh()) ADD_FAILURE() << trouble.message;
  ASSERT_GE(catalogue.List().size(), 8u);
  for (const LoadedAppPtr& loaded : catalogue.List()) {
    if (loaded->app->model.empty()) continue;
    for (const Profile& profile : loaded->app->profiles) {
      SCOPED_TRACE(loaded->app->name + " " + profile.name);
      World seeded(loaded, profile.name, data_ / RandomHex(12));
      auto dump = seeded.Dump(DumpForm::kVendor);
      ASSERT_TRUE(dump) << dump.error().message;
      for (const Problem& problem : CheckDocument(loaded->app->model, *dump))
        ADD_FAILURE() << PlaceOf(problem) << ": " << problem.message;
      World second(loaded, profile.name, data_ / RandomHex(12));
      auto report = second.Initialize(World::StartFrom::kEmpty, *dump);
      EXPECT_TRUE(report) << report.error().message;
      if (!report) continue;
      auto again = second.Dump(DumpForm::kVendor);
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_TRUE(*again == *dump);  // too long to be printed
    }
  }
}

}  // namespace
}  // namespace viv::engine
