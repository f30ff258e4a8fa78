#include "templates/box_user.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "templates/folder_writer.h"
#include "templates/image_for_test.h"
#include "templates/run_in_overlays_for_test.h"

namespace viv::templates {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TopLayerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "files of several owners need root";
    SaveText(lower_ + "/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n");
    SaveText(lower_ + "/etc/group", "root:x:0:");
    std::filesystem::create_directories(upper_);
  }
  FinishedLayer Make(const std::string& asked = "") {
    auto made = MakeTopLayer(top_, {upper_, lower_}, asked, "id",
                             [this](const std::string& line) { said_ += line; });
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : FinishedLayer{};
  }

  const ScratchPlace place_;
  const std::string lower_ = place_.path + "/lower", upper_ = place_.path + "/upper",
                    top_ = place_.path + "/top";
  std::string said_;
};

TEST_F(TopLayerTest, AddsTheUserToTheAccountsOfTheImage) {
  EXPECT_EQ(Make().user, "user");
  EXPECT_EQ(LoadText(top_ + "/etc/passwd"),
            "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/sh\n");
  EXPECT_EQ(LoadText(top_ + "/etc/group"), "root:x:0:\nuser:x:1000:\n");
  EXPECT_FALSE(std::filesystem::exists(top_ + "/etc/shadow"));
  EXPECT_THAT(LoadText(top_ + "/etc/sudoers.d/user"), HasSubstr("NOPASSWD"));
  struct stat home {};
  ASSERT_EQ(stat((top_ + "/home/user").c_str(), &home), 0);
  EXPECT_EQ(home.st_uid, 1000U);
  EXPECT_THAT(said_, HasSubstr("no bash"));
}

TEST_F(TopLayerTest, TakesTheNextIdWhereTheImageHasGivenAwayOurs) {
  SaveText(upper_ + "/etc/passwd",
           "root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/bash\n");
  SaveText(upper_ + "/bin/bash", "");
  Make();
  EXPECT_THAT(LoadText(top_ + "/etc/passwd"),
              HasSubstr("user:x:1001:1000:user:/home/user:/bin/bash\n"));
  EXPECT_THAT(said_, Not(HasSubstr("no bash")));
}

TEST_F(TopLayerTest, LeavesAnAccountThatIsThere) {
  SaveText(upper_ + "/etc/passwd",
           "root:x:0:0::/root:/bin/sh\nuser:x:1234:0::/home/user:/bin/bash\n");
  Make();
  EXPECT_FALSE(std::filesystem::exists(top_ + "/etc/passwd"));
  struct stat home {};
  ASSERT_EQ(stat((top_ + "/home/user").c_str(), &home), 0);
  EXPECT_EQ(home.st_uid, 1234U);
}

TEST_F(TopLayerTest, RunsAsWhomTheImageAskedFor) {
  SaveText(upper_ + "/etc/passwd",
           "root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/bash\n");
  EXPECT_EQ(Make("1000:1000").user, "node");
  std::filesystem::remove_all(top_);
  EXPECT_EQ(Make("root").user, "root");
  std::filesystem::remove_all(top_);
  EXPECT_EQ(Make("stranger").user, "user");
}

TEST_F(TopLayerTest, BelievesNoLinkOfTheImage) {
  std::filesystem::create_symlink("/etc/passwd", upper_ + "/passwd");
  std::filesystem::remove(lower_ + "/etc/passwd");
  std::filesystem::create_symlink("/etc/passwd", lower_ + "/etc/passwd");
  EXPECT_EQ(ReadThroughLayers({upper_, lower_}, "passwd"), "");
  EXPECT_EQ(ReadThroughLayers({upper_, lower_}, "etc/passwd"), "");
  Make();
  EXPECT_EQ(LoadText(top_ + "/etc/passwd"),
            "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/sh\n");
}

TEST_F(TopLayerTest, AnImageWithoutAccountsHasRootAsWell) {
  std::filesystem::remove_all(lower_ + "/etc");
  Make();
  EXPECT_EQ(LoadText(top_ + "/etc/passwd"),
            "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/sh\n");
  EXPECT_EQ(LoadText(top_ + "/etc/group"), "root:x:0:\nuser:x:1000:\n");
}

TEST_F(TopLayerTest, ARootOfAnotherNameIsEnough) {
  SaveText(upper_ + "/etc/passwd", "toor:x:0:0::/root:/bin/sh\n");
  Make();
  EXPECT_THAT(LoadText(top_ + "/etc/passwd"), Not(HasSubstr("root:x:0:0:root")));
}

TEST_F(TopLayerTest, SeesWhiteoutsAndOpaqueFolders) {
  EXPECT_EQ(ReadThroughLayers({upper_, lower_}, "etc/group"), "root:x:0:");
  const auto upper = FolderWriter::Create(place_.path + "/hiding");
  ASSERT_TRUE(upper->Whiteout("etc/group"));
  EXPECT_EQ(ReadThroughLayers({upper->root(), lower_}, "etc/group"), "");
  EXPECT_NE(ReadThroughLayers({upper->root(), lower_}, "etc/passwd"), "");
  ASSERT_TRUE(upper->MakeOpaque("etc"));
  EXPECT_EQ(ReadThroughLayers({upper->root(), lower_}, "etc/passwd"), "");
}

}  // namespace
}  // namespace viv::templates
