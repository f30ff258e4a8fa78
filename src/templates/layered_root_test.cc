#include "templates/layered_root.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "templates/image_for_test.h"
#include "templates/run_in_overlays_for_test.h"

namespace viv::templates {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using Kind = LayeredRoot::Entry::Kind;

class LayeredRootTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& folder : {upper_, lower_, usr_}) fs::create_directories(folder);
  }
  LayeredRoot Root() const { return LayeredRoot(overlays_); }

  const ScratchPlace place_;
  const std::string upper_ = place_.path + "/upper", lower_ = place_.path + "/lower",
                    usr_ = place_.path + "/usr";
  const std::vector<storage::OverlayMount> overlays_ = {
      {.mount_point = "", .layers = {upper_, lower_}}, {.mount_point = "usr", .layers = {usr_}}};
};

TEST_F(LayeredRootTest, ShowsTheTopmostOfEachName) {
  SaveText(lower_ + "/etc/both", "lower");
  SaveText(lower_ + "/etc/below", "below");
  SaveText(upper_ + "/etc/both", "upper");
  SaveText(lower_ + "/usr/hidden", "by the tree");
  SaveText(usr_ + "/bin/tool", "tool");
  const LayeredRoot root = Root();
  EXPECT_EQ(root.Read("etc/both", 10), "upper");
  EXPECT_EQ(root.Read("etc/below", 10), "below");
  EXPECT_EQ(root.Read("usr/bin/tool", 10), "tool");
  EXPECT_EQ(root.Stat("usr/hidden").kind, Kind::kMissing);
  EXPECT_EQ(root.Stat("usr").kind, Kind::kFolder);
  EXPECT_EQ(root.Stat("").kind, Kind::kFolder);
  EXPECT_EQ(root.Stat("etc").kind, Kind::kFolder);
  EXPECT_EQ(root.Stat("nothing/at/all").kind, Kind::kMissing);
  EXPECT_THAT(root.List("etc", 10), ElementsAre("below", "both"));
  EXPECT_THAT(root.List("usr", 10), ElementsAre("bin"));
  EXPECT_THAT(root.List("etc", 1).size(), 1U);
  EXPECT_EQ(root.Locate("usr/bin/tool").overlay, 1U);
  EXPECT_EQ(root.Locate("usr/bin/tool").path, "bin/tool");
  EXPECT_EQ(root.Locate("usrlocal").overlay, 0U);
}

TEST_F(LayeredRootTest, SeesWhatUpperLayersHide) {
  SaveText(lower_ + "/etc/gone", "x");
  SaveText(lower_ + "/opaque/below", "x");
  SaveText(lower_ + "/folder/below", "x");
  const FolderWriter upper = *FolderWriter::Create(place_.path + "/hiding");
  ASSERT_TRUE(upper.Whiteout("etc/gone"));
  ASSERT_TRUE(upper.Folder("opaque"));
  ASSERT_TRUE(upper.MakeOpaque("opaque"));
  ASSERT_TRUE(upper.File("folder", "now a file"));
  const LayeredRoot root({{.mount_point = "", .layers = {upper.root(), lower_}}});
  EXPECT_EQ(root.Stat("etc/gone").kind, Kind::kMissing);
  EXPECT_EQ(root.Stat("opaque/below").kind, Kind::kMissing);
  EXPECT_EQ(root.Stat("folder").kind, Kind::kFile);
  EXPECT_EQ(root.Stat("folder/below").kind, Kind::kMissing);
  EXPECT_TRUE(root.List("opaque", 10).empty());
  EXPECT_TRUE(root.List("etc", 10).empty());
  EXPECT_EQ(root.Resolve("folder/below"), std::nullopt);
}

TEST_F(LayeredRootTest, FollowsLinksWithinTheOverlays) {
  SaveText(lower_ + "/etc/pki/tls/certs/bundle", "text");
  fs::create_directories(upper_ + "/etc/ssl");
  fs::create_symlink("../pki/tls/certs", upper_ + "/etc/ssl/certs");
  fs::create_symlink("/etc/ssl/certs/bundle", upper_ + "/absolute");
  fs::create_symlink("../../../../../../etc/ssl/certs", upper_ + "/climbs");
  fs::create_symlink("usr/lib", upper_ + "/lib");
  const LayeredRoot root = Root();
  EXPECT_EQ(root.Resolve("etc/ssl/certs/bundle"), "etc/pki/tls/certs/bundle");
  EXPECT_EQ(root.Resolve("/absolute"), "etc/pki/tls/certs/bundle");
  EXPECT_EQ(root.Resolve("climbs/./bundle"), "etc/pki/tls/certs/bundle");
  EXPECT_EQ(root.Resolve("etc/ssl/certs/new/name"), "etc/pki/tls/certs/new/name");
  EXPECT_EQ(root.Resolve("lib/x"), "usr/lib/x");
  EXPECT_EQ(root.Resolve("../.."), "");
}

TEST_F(LayeredRootTest, LeadsNowhereOutside) {
  fs::create_symlink("/etc/passwd", upper_ + "/passwd");
  fs::create_symlink("/proc/self/root/etc", upper_ + "/etc");
  fs::create_symlink("circle", upper_ + "/circle");
  fs::create_symlink("/dev", lower_ + "/dev");
  SaveText(upper_ + "/file", "x");
  const LayeredRoot root = Root();
  EXPECT_EQ(root.Resolve("passwd"), "proc/self/root/etc/passwd");  // which this image has not
  EXPECT_EQ(root.Read("passwd", 100'000), std::nullopt);
  EXPECT_EQ(root.Read("etc/passwd", 100'000), std::nullopt);
  EXPECT_TRUE(root.List("dev", 10).empty());
  EXPECT_EQ(root.Resolve("circle"), std::nullopt);
  EXPECT_EQ(root.Resolve("circle/x"), std::nullopt);
  EXPECT_EQ(root.Resolve("file/x"), std::nullopt);
  EXPECT_EQ(root.Resolve("missing/../file"), std::nullopt);
  EXPECT_EQ(root.Resolve(std::string(5000, 'a')), std::nullopt);
}

TEST_F(LayeredRootTest, ReadsPlainFilesOfABearableSize) {
  SaveText(upper_ + "/large", std::string(100, 'x'));
  ASSERT_EQ(mkfifo((upper_ + "/pipe").c_str(), 0600), 0);
  const LayeredRoot root = Root();
  EXPECT_EQ(root.Read("large", 99), std::nullopt);
  EXPECT_TRUE(root.Read("large", 100));
  EXPECT_EQ(root.Read("pipe", 100), std::nullopt);
  EXPECT_EQ(root.Stat("pipe").kind, Kind::kOther);
  EXPECT_EQ(root.Read("", 100), std::nullopt);
}

TEST_F(LayeredRootTest, WithoutOverlaysThereIsNothing) {
  const LayeredRoot none({});
  EXPECT_EQ(none.Stat("x").kind, Kind::kMissing);
  EXPECT_TRUE(none.List("", 10).empty());
  const LayeredRoot gone({{.mount_point = "", .layers = {place_.path + "/gone"}}});
  EXPECT_EQ(gone.Stat("x").kind, Kind::kMissing);
  EXPECT_TRUE(gone.List("", 10).empty());
}

}  // namespace
}  // namespace viv::templates
