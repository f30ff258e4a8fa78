#include "templates/oci_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "templates/image_for_test.h"
#include "templates/run_in_overlays_for_test.h"

namespace viv::templates {
namespace {

using ::testing::HasSubstr;

class OciImageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "files of several owners need root";
    std::filesystem::create_directories(target_);
  }
  Result<OciImage> Unpack() {
    image_.SaveLayout(layout_);
    return UnpackOciLayout(layout_, target_, [](const std::string&) {});
  }
  void ExpectUnpackRefused(const std::string& why) {
    const auto refused = Unpack();
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr(why));
  }

  const ScratchPlace place_;
  const std::string layout_ = place_.path + "/layout";
  const std::string target_ = place_.path + "/target";
  ImageBuilder image_;
};

TEST_F(OciImageTest, StacksItsLayersTopmostFirst) {
  image_.AddLayer({{.name = "a", .text = "lower"}}, Packing::kPlain);
  image_.AddLayer({{.name = "a", .text = "upper"}}, Packing::kZstd);
  image_.Finish({{"Env", json::array{"X=1"}}, {"User", "root"}});
  const auto image = Unpack();
  ASSERT_TRUE(image) << image.error().message;
  ASSERT_EQ(image->layers.size(), 2U);
  EXPECT_EQ(LoadText(image->layers[0] + "/a"), "upper");
  EXPECT_EQ(LoadText(image->layers[1] + "/a"), "lower");
  EXPECT_EQ(image->config.variables.at("X"), "1");
}

TEST_F(OciImageTest, FollowsAnIndexInAnIndex) {
  image_.AddLayer({{.name = "a", .text = "x"}});
  image_.Finish();
  const std::string inner = image_.parts()["index.json"];
  image_.parts()["index.json"] = WriteJson(json::object{
      {"manifests", json::array{image_.Add(inner, "application/vnd.oci.image.index.v1+json")}}});
  const auto image = Unpack();
  EXPECT_TRUE(image) << image.error().message;
}

TEST_F(OciImageTest, RefusesABlobThatWasChanged) {
  image_.AddLayer({{.name = "a", .text = "x"}});
  image_.Finish();
  for (auto& [name, text] : image_.parts()) {
    if (name.starts_with("blobs/") && text[0] == '\x1f') text[text.size() / 2] ^= 1;  // the layer
  }
  ExpectUnpackRefused("digest is wrong");
}

TEST_F(OciImageTest, RefusesABlobOfAnotherSizeOrNone) {
  image_.AddLayer({{.name = "a", .text = "x"}});
  image_.Finish();
  for (auto& [name, text] : image_.parts()) {
    if (name.starts_with("blobs/") && text[0] == '\x1f') text += "more";
  }
  ExpectUnpackRefused("size");
}

TEST_F(OciImageTest, RefusesABlobThatIsALink) {
  image_.AddLayer({{.name = "a", .text = "x"}});
  image_.Finish();
  image_.SaveLayout(layout_);
  for (const auto& [name, text] : image_.parts()) {
    if (!name.starts_with("blobs/")) continue;
    const std::string path = layout_ + "/" + name;
    std::filesystem::rename(path, path + ".moved");
    std::filesystem::create_symlink(path + ".moved", path);
  }
  EXPECT_FALSE(UnpackOciLayout(layout_, target_, [](const std::string&) {}));
}

TEST_F(OciImageTest, RefusesAnotherArchitecture) {
  image_.AddLayer({{.name = "a", .text = "x"}});
  image_.Finish({}, "s390x");
  ExpectUnpackRefused("s390x");
}

TEST_F(OciImageTest, SaysHowToSaveAnImageThatIsNone) {
  std::filesystem::create_directories(layout_);
  ExpectUnpackRefused("skopeo");
}

class OciArchiveTest : public OciImageTest {
 protected:
  Status UnpackArchiveOf(const std::vector<TarEntry>& entries) {
    SaveText(file_, MakeTar(entries));
    return UnpackOciArchive(file_, layout_);
  }
  const std::string file_ = place_.path + "/image.tar";
};

TEST_F(OciArchiveTest, UnpacksItsParts) {
  image_.AddLayer({{.name = "a", .text = "x"}});
  image_.Finish();
  image_.parts()["manifest.json"] = "[]";  // of docker save, passed over
  image_.SaveArchive(file_);
  ASSERT_TRUE(UnpackOciArchive(file_, layout_));
  EXPECT_FALSE(std::filesystem::exists(layout_ + "/manifest.json"));
  EXPECT_TRUE(UnpackOciLayout(layout_, target_, [](const std::string&) {}));
}

TEST_F(OciArchiveTest, RefusesNamesThatLeave) {
  EXPECT_FALSE(UnpackArchiveOf({{.name = "../index.json", .text = "{}"}}));
  EXPECT_FALSE(std::filesystem::exists(place_.path + "/index.json"));
}

TEST_F(OciArchiveTest, RefusesLinksInThePlaceOfParts) {
  EXPECT_FALSE(
      UnpackArchiveOf({{.name = "index.json", .type = AE_IFLNK, .target = "/etc/passwd"}}));
}

TEST_F(OciArchiveTest, RefusesWhatIsNoArchive) {
  SaveText(file_, std::string(4096, 'x'));
  EXPECT_FALSE(UnpackOciArchive(file_, layout_));
  EXPECT_EQ(UnpackOciArchive(place_.path + "/missing", layout_).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace viv::templates
