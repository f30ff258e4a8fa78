#include "templates/trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "templates/authority_for_test.h"
#include "templates/image_for_test.h"
#include "templates/java_key_store.h"
#include "templates/layered_root.h"
#include "templates/run_in_overlays_for_test.h"

namespace viv::templates {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class TrustTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(image_);
    SaveText(top_ + "/etc/hostname", "mine\n");
    fs::create_directories(top_ + "/etc/sudoers.d");
  }
  // The template's overlays, trusting `pem`.
  std::vector<storage::OverlayMount> Make(const std::string& pem) {
    const Status made = MakeTrustLayers(folder_, overlays_, own_, pem);
    EXPECT_TRUE(made) << made.error().message;
    return WithTrustLayers(folder_, overlays_, own_);
  }
  static std::string Read(const std::vector<storage::OverlayMount>& overlays,
                          const std::string& path) {
    const LayeredRoot root(overlays);
    const auto leads = root.Resolve(path);
    return leads ? root.Read(*leads, 8 << 20).value_or("") : "";
  }

  const ScratchPlace place_;
  const std::string own_ = place_.path + "/own", image_ = own_ + "/layer-0", top_ = own_ + "/top",
                    folder_ = own_ + "/trust-1";
  const std::vector<storage::OverlayMount> overlays_ = {
      {.mount_point = "", .layers = {top_, image_}}};
  const std::string pem_ = MakeAuthorityPem(), theirs_ = MakeAuthorityPem("Theirs");
};

TEST_F(TrustTest, AddsOursToWhatTheImageTrusts) {
  SaveText(image_ + "/etc/ssl/certs/ca-certificates.crt", theirs_);
  const auto overlays = Make(pem_);
  EXPECT_EQ(Read(overlays, "etc/ssl/certs/ca-certificates.crt"), theirs_ + pem_);
  EXPECT_EQ(Read(overlays, "usr/local/share/ca-certificates/vivarium.crt"), pem_);
  EXPECT_EQ(Read(overlays, "etc/ssl/certs/vivarium.pem"), pem_);
  EXPECT_FALSE(fs::exists(folder_ + "/root/etc/ssl/cert.pem"));
  EXPECT_FALSE(fs::exists(folder_ + "/root/etc/pki"));
  EXPECT_THAT(Read(overlays, "etc/sudoers.d/vivarium-trust"), HasSubstr("NODE_EXTRA_CA_CERTS"));
  EXPECT_EQ(Read({overlays_}, "etc/ssl/certs/ca-certificates.crt"), theirs_);  // as it was
}

TEST_F(TrustTest, CostsNoLayerAndKeepsWhatTheTopmostHad) {
  const FolderWriter top = *FolderWriter::Create(own_ + "/other-top");
  ASSERT_TRUE(top.File("etc/passwd", "x", {.mode = 0600, .user = 7, .group = 8}));
  ASSERT_TRUE(top.Folder("usr/local", {.mode = 0777}));
  ASSERT_TRUE(top.Link("bin", "usr/bin"));
  ASSERT_TRUE(top.Whiteout("gone"));
  ASSERT_TRUE(top.Folder("opaque"));
  ASSERT_TRUE(top.MakeOpaque("opaque"));
  SaveText(image_ + "/gone", "x");
  SaveText(image_ + "/opaque/below", "x");
  const std::vector<storage::OverlayMount> before = {
      {.mount_point = "", .layers = {top.root(), image_}}};
  ASSERT_TRUE(MakeTrustLayers(folder_, before, own_, pem_));
  const auto overlays = WithTrustLayers(folder_, before, own_);
  ASSERT_EQ(overlays[0].layers, (std::vector<std::string>{folder_ + "/root", image_}));
  struct stat status {};
  ASSERT_EQ(stat((folder_ + "/root/etc/passwd").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
  EXPECT_EQ(status.st_uid, 7U);
  EXPECT_EQ(status.st_gid, 8U);
  const LayeredRoot root(overlays);
  EXPECT_EQ(root.Stat("usr/local").ownership.mode, 0777U);
  EXPECT_EQ(root.Resolve("bin"), "usr/bin");
  EXPECT_EQ(root.Stat("gone").kind, LayeredRoot::Entry::Kind::kMissing);
  EXPECT_EQ(root.Stat("opaque/below").kind, LayeredRoot::Entry::Kind::kMissing);
}

TEST_F(TrustTest, FoldersStayAsTheImageHasThem) {
  SaveText(image_ + "/etc/ssl/certs/ca-certificates.crt", theirs_);
  ASSERT_EQ(chmod((image_ + "/etc/ssl/certs").c_str(), 0711), 0);
  ASSERT_EQ(chown((image_ + "/etc/ssl").c_str(), 3, 4), 0);
  const LayeredRoot root(Make(pem_));
  EXPECT_EQ(root.Stat("etc/ssl/certs").ownership.mode, 0711U);
  EXPECT_EQ(root.Stat("etc/ssl").ownership.user, 3U);
  EXPECT_EQ(root.Stat("etc/ssl").ownership.group, 4U);
  EXPECT_EQ(root.Stat("etc/ssl/certs/ca-certificates.crt").ownership.mode, 0644U);
}

TEST_F(TrustTest, AnImageWithoutAuthoritiesGetsThisMachines) {
  const std::string bundle = Read(Make(pem_), "etc/ssl/certs/ca-certificates.crt");
  EXPECT_THAT(bundle, HasSubstr(pem_));
  EXPECT_GT(CertificatesIn(bundle).size(), 20U);
}

TEST_F(TrustTest, WritesWhereTheImagesLinksLead) {
  const std::string extracted = "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem";
  SaveText(image_ + extracted, theirs_);
  fs::create_directories(image_ + "/etc/pki/tls/certs");
  fs::create_symlink(extracted, image_ + "/etc/pki/tls/certs/ca-bundle.crt");
  fs::create_directories(image_ + "/etc/ssl");
  fs::create_symlink("../pki/tls/certs", image_ + "/etc/ssl/certs");
  fs::create_symlink("certs/ca-bundle.crt", image_ + "/etc/ssl/cert.pem");
  const auto overlays = Make(pem_);
  for (const char* path :
       {"etc/pki/tls/certs/ca-bundle.crt", "etc/ssl/cert.pem", "etc/ssl/certs/ca-certificates.crt"})
    EXPECT_EQ(Read(overlays, path), theirs_ + pem_) << path;
  EXPECT_TRUE(fs::is_regular_file(folder_ + "/root" + extracted));
  EXPECT_FALSE(fs::exists(folder_ + "/root/etc/ssl/certs"));  // is the image's link still
  EXPECT_TRUE(fs::exists(folder_ + "/root/etc/pki/tls/certs/ca-certificates.crt"));
}

TEST_F(TrustTest, GivesJavaAllOfTheBundle) {
  SaveText(image_ + "/etc/ssl/certs/ca-certificates.crt", theirs_);
  SaveText(image_ + "/opt/java/openjdk/lib/security/cacerts", "a store");
  SaveText(image_ + "/usr/lib/jvm/java-8/jre/lib/security/cacerts", "a store");
  fs::create_directories(image_ + "/usr/lib/jvm/java-17/lib/security");
  fs::create_symlink("/etc/ssl/certs/java/cacerts",
                     image_ + "/usr/lib/jvm/java-17/lib/security/cacerts");
  const auto overlays = Make(pem_);
  const std::string store = Read(overlays, "etc/ssl/certs/java/cacerts");
  for (const std::string& pem : {pem_, theirs_})
    EXPECT_THAT(store, HasSubstr(CertificatesIn(pem).front()));
  EXPECT_EQ(store.substr(0, 12), std::string("\xFE\xED\xFE\xED\0\0\0\2\0\0\0\2", 12));
  for (const char* path :
       {"opt/java/openjdk/lib/security/cacerts", "usr/lib/jvm/java-8/jre/lib/security/cacerts",
        "usr/lib/jvm/java-17/lib/security/cacerts"})
    EXPECT_EQ(Read(overlays, path), store) << path;
}

TEST_F(TrustTest, BelievesNoLinkThatLeadsToTheHost) {
  const std::string outside = place_.path + "/outside";
  SaveText(outside + "/ca-certificates.crt", "the host's");
  fs::create_directories(image_ + "/etc/ssl");
  fs::create_symlink(outside, image_ + "/etc/ssl/certs");
  fs::create_directories(image_ + "/usr");
  fs::create_symlink("../../../../../../../../" + outside, image_ + "/usr/local");
  const auto overlays = Make(pem_);
  EXPECT_EQ(LoadText(outside + "/ca-certificates.crt"), "the host's");
  EXPECT_EQ(std::distance(fs::directory_iterator(outside), fs::directory_iterator()), 1);
  EXPECT_THAT(Read(overlays, "etc/ssl/certs/ca-certificates.crt"), Not(HasSubstr("the host's")));
  EXPECT_THAT(Read(overlays, "etc/ssl/certs/ca-certificates.crt"), HasSubstr(pem_));
}

TEST_F(TrustTest, PassesOverAnImageWhereNothingCanBePut) {
  SaveText(image_ + "/usr", "a file");
  fs::create_directories(image_ + "/etc");
  fs::create_symlink("ssl", image_ + "/etc/ssl");
  const auto overlays = Make(pem_);
  EXPECT_EQ(Read(overlays, "usr/local/share/ca-certificates/vivarium.crt"), "");
  EXPECT_EQ(Read(overlays, "etc/hostname"), "mine\n");
}

TEST_F(TrustTest, TakesNoBundleOfAnyLength) {
  SaveText(image_ + "/etc/ssl/certs/ca-certificates.crt", theirs_ + std::string(5 << 20, '\n'));
  const std::string bundle = Read(Make(pem_), "etc/ssl/certs/ca-certificates.crt");
  EXPECT_LT(bundle.size(), std::size_t{5 << 20});
  EXPECT_THAT(bundle, HasSubstr(pem_));
}

TEST_F(TrustTest, AnOverlayThatIsNotOursGetsALayerOnTop) {
  const std::string foreign = place_.path + "/foreign";
  fs::create_directories(foreign + "/local");
  ASSERT_EQ(chmod(foreign.c_str(), 0751), 0);
  const std::vector<storage::OverlayMount> before = {{.mount_point = "", .layers = {top_}},
                                                     {.mount_point = "usr", .layers = {foreign}}};
  ASSERT_TRUE(MakeTrustLayers(folder_, before, own_, pem_));
  const auto overlays = WithTrustLayers(folder_, before, own_);
  EXPECT_EQ(overlays[1].layers, (std::vector<std::string>{folder_ + "/usr", foreign}));
  EXPECT_EQ(Read(overlays, "usr/local/share/ca-certificates/vivarium.crt"), pem_);
  EXPECT_FALSE(fs::exists(foreign + "/local/share"));
  struct stat status {};
  ASSERT_EQ(stat((folder_ + "/usr").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0751U);
}

TEST_F(TrustTest, AnotherAuthorityHasAnotherKey) {
  EXPECT_EQ(TrustKey(pem_), TrustKey(pem_));
  EXPECT_NE(TrustKey(pem_), TrustKey(theirs_));
  EXPECT_EQ(TrustKey(pem_).size(), 16U);
}

}  // namespace
}  // namespace viv::templates
