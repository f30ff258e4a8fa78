#include "templates/oci_manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace viv::templates {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

const std::string kHex(64, 'a');
const std::string kDigestText = "\"sha256:" + kHex + "\"";

std::string IndexEntry(const std::string& platform) {
  return R"({"mediaType":"application/vnd.oci.image.manifest.v1+json","size":7,"digest":)" +
         kDigestText + platform + "}";
}

TEST(OciIndexTest, FindsTheManifestOfTheArchitecture) {
  const std::string text =
      R"({"manifests":[)" + IndexEntry(R"(,"platform":{"architecture":"arm64","os":"linux"})") +
      "," + IndexEntry(R"(,"platform":{"architecture":"amd64","os":"windows"})") + "," +
      IndexEntry(R"(,"platform":{"architecture":"amd64","os":"linux"})") + "]}";
  const auto found = ReadOciIndex(text, "amd64");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->architecture, "amd64");
  EXPECT_EQ(found->system, "linux");
  EXPECT_EQ(found->digest, kHex);
  EXPECT_EQ(found->size, 7);
  const auto none = ReadOciIndex(text, "riscv64");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("linux/arm64"));
}

TEST(OciIndexTest, TakesTheOneThatSaysNoPlatform) {
  EXPECT_TRUE(ReadOciIndex(R"({"manifests":[)" + IndexEntry("") + "]}", "amd64"));
}

TEST(OciIndexTest, RefusesWhatIsNoIndex) {
  for (const std::string& text : std::vector<std::string>{
           "", "[]", "{}", "null", R"({"manifests":{}})", R"({"manifests":[]})",
           R"({"manifests":[1]})", R"({"manifests":[{"digest":"sha256:zz","size":1}]})",
           R"({"manifests":[{"digest":"sha512:)" + kHex + R"(","size":1}]})",
           R"({"manifests":[{"digest":"sha256:../../../../etc/passwd","size":1}]})",
           R"({"manifests":[{"digest":)" + kDigestText + R"(,"size":-1}]})",
           R"({"manifests":[{"digest":)" + kDigestText + "}]}"})
    EXPECT_FALSE(ReadOciIndex(text, "amd64")) << text;
  EXPECT_FALSE(ReadOciIndex(std::string(kOciDocumentBytesMax + 1, ' '), "amd64"));
}

std::string ManifestWith(const std::string& layers) {
  return R"({"config":{"digest":)" + kDigestText + R"(,"size":3},"layers":[)" + layers + "]}";
}
std::string LayerOf(const std::string& type) {
  return R"({"mediaType":")" + type + R"(","size":1,"digest":)" + kDigestText + "}";
}

TEST(OciManifestTest, ReadsLayersInOrder) {
  const auto manifest =
      ReadOciManifest(ManifestWith(LayerOf("application/vnd.oci.image.layer.v1.tar+zstd") + "," +
                                   LayerOf("application/vnd.docker.image.rootfs.diff.tar.gzip")));
  ASSERT_TRUE(manifest) << manifest.error().message;
  ASSERT_EQ(manifest->layers.size(), 2U);
  EXPECT_EQ(manifest->layers[0].media_type, "application/vnd.oci.image.layer.v1.tar+zstd");
  EXPECT_EQ(manifest->config.size, 3);
}

TEST(OciManifestTest, RefusesLayersItCannotUnpack) {
  EXPECT_FALSE(ReadOciManifest(ManifestWith("")));
  EXPECT_FALSE(ReadOciManifest(
      ManifestWith(LayerOf("application/vnd.oci.image.layer.v1.tar+gzip+encrypted"))));
  EXPECT_FALSE(ReadOciManifest(ManifestWith(LayerOf("text/html"))));
  EXPECT_FALSE(ReadOciManifest(R"({"layers":[]})"));
  std::string many = LayerOf("application/vnd.oci.image.layer.v1.tar");
  for (std::size_t i = 0; i < kOciLayersMax; ++i)
    many += "," + LayerOf("application/vnd.oci.image.layer.v1.tar");
  EXPECT_FALSE(ReadOciManifest(ManifestWith(many)));
}

TEST(OciConfigTest, KeepsVariablesUserAndFolder) {
  const auto config = ReadOciConfig(
      R"({"architecture":"amd64","os":"linux","config":{"Env":["A=1","B=x=y","bad","=no",7,"C="],"User":"node","WorkingDir":"app"}})");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_THAT(config->variables, ElementsAre(Pair("A", "1"), Pair("B", "x=y"), Pair("C", "")));
  EXPECT_EQ(config->user, "node");
  EXPECT_EQ(config->workdir, "/app");
  EXPECT_EQ(config->architecture, "amd64");
}

TEST(OciConfigTest, RefusesOtherSystemsAndBrokenNames) {
  EXPECT_FALSE(ReadOciConfig(R"({"architecture":"amd64","os":"windows"})"));
  EXPECT_FALSE(ReadOciConfig("{}"));
  EXPECT_FALSE(ReadOciConfig(R"({"os":"linux","config":{"User":"a\nb"}})"));
  EXPECT_FALSE(ReadOciConfig(R"({"os":"linux","config":{"WorkingDir":"/\u0000"}})"));
  EXPECT_TRUE(ReadOciConfig(R"({"os":"linux","config":[]})"));
}

}  // namespace
}  // namespace viv::templates
