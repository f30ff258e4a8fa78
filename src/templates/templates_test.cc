#include "templates/templates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "templates/authority_for_test.h"
#include "templates/image_for_test.h"
#include "templates/run_in_overlays_for_test.h"

namespace viv::templates {
namespace {

using ::testing::HasSubstr;

class TemplatesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "files of several owners need root";
    image_.AddLayer({{.name = "etc/passwd", .text = "root:x:0:0::/root:/bin/sh\n"},
                     {.name = "app/file", .text = "lower"}});
    image_.Finish({{"Env", json::array{"LANG=C.UTF-8"}}, {"WorkingDir", "/app"}, {"User", "root"}});
    templates_ = Open();
  }
  std::unique_ptr<Templates> Open() {
    auto opened = Templates::Open(directory_);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? std::move(*opened) : nullptr;
  }
  Result<Template> Import(const std::string& name) {
    image_.SaveArchive(file_);
    return templates_->ImportOciArchive(name, file_, {});
  }
  std::size_t CountTrees() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator(directory_ + "/trees"))
      ++count;
    return count;
  }

  const ScratchPlace place_;
  const std::string directory_ = place_.path + "/templates", file_ = place_.path + "/image.tar";
  ImageBuilder image_;
  std::unique_ptr<Templates> templates_;
};

TEST_F(TemplatesTest, HasBaseAtOnceAndKeepsIt) {
  const auto base = templates_->Find("base");
  ASSERT_TRUE(base) << base.error().message;
  EXPECT_EQ(base->source, "host");
  EXPECT_EQ(base->user, "user");
  ASSERT_EQ(base->overlays.size(), 2U);
  EXPECT_EQ(base->overlays[0].mount_point, "");
  EXPECT_EQ(base->overlays[1].mount_point, "usr");
  EXPECT_EQ(base->overlays[1].layers.back(), "/usr");
  EXPECT_EQ(templates_->Find(base->id)->name, "base");
  EXPECT_EQ(templates_->Remove("base").error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(Import("base").error().code, ErrorCode::kConflict);
  templates_ = Open();
  EXPECT_EQ(templates_->Find("base")->overlays, base->overlays);
  EXPECT_EQ(templates_->Find("base")->id, base->id);
}

TEST_F(TemplatesTest, MakesBaseAnewWhenItsFolderIsGone) {
  const Template before = *templates_->Find("base");
  std::filesystem::remove_all(before.overlays[0].layers[0]);
  templates_ = Open();
  const Template after = *templates_->Find("base");
  EXPECT_EQ(after.id, before.id);
  EXPECT_TRUE(std::filesystem::exists(after.overlays[0].layers[0] + "/etc/passwd"));
}

TEST_F(TemplatesTest, ImportsAnImageWithItsSettings) {
  std::vector<std::string> lines;
  image_.SaveArchive(file_);
  const auto made = templates_->ImportOciArchive(
      "mine", file_, [&](const std::string& line) { lines.push_back(line); });
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->variables.at("LANG"), "C.UTF-8");
  EXPECT_EQ(made->workdir, "/app");
  EXPECT_EQ(made->user, "root");
  EXPECT_FALSE(lines.empty());
  ASSERT_EQ(made->overlays.size(), 1U);
  EXPECT_EQ(LoadText(made->overlays[0].layers.back() + "/app/file"), "lower");
  EXPECT_THAT(LoadText(made->overlays[0].layers.front() + "/etc/passwd"),
              HasSubstr("user:x:1000:"));
  EXPECT_FALSE(std::filesystem::exists(
      std::filesystem::path(made->overlays[0].layers[0]).parent_path() / "layout"));
  templates_ = Open();
  EXPECT_EQ(templates_->Find("mine")->overlays, made->overlays);
}

TEST_F(TemplatesTest, ImportsALayoutLikewise) {
  image_.SaveLayout(place_.path + "/layout");
  const auto made = templates_->ImportOciLayout("mine", place_.path + "/layout", {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->source, "oci-layout");
}

TEST_F(TemplatesTest, LeavesNothingOfABadImage) {
  const std::size_t before = CountTrees();
  image_.AddLayer({{.name = "good", .text = "x"}, {.name = "../bad", .text = "x"}});
  image_.Finish();
  const auto refused = Import("mine");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("mine"));
  EXPECT_EQ(CountTrees(), before);
  EXPECT_EQ(templates_->Find("mine").error().code, ErrorCode::kNotFound);
}

TEST_F(TemplatesTest, ReplacesATemplateUnderItsIdAndFreesTheOldOnceUnused) {
  const Template first = *Import("mine");
  const Template second = *Import("mine");
  EXPECT_EQ(second.id, first.id);
  EXPECT_NE(second.overlays, first.overlays);
  const std::string old_layer = first.overlays[0].layers[0];
  templates_->Clean([&](const std::string& folder) { return folder == old_layer; });
  EXPECT_TRUE(std::filesystem::exists(old_layer));
  templates_->Clean([](const std::string&) { return false; });
  EXPECT_FALSE(std::filesystem::exists(old_layer));
  EXPECT_TRUE(std::filesystem::exists(second.overlays[0].layers[0]));
  EXPECT_TRUE(std::filesystem::exists(templates_->Find("base")->overlays[0].layers[0]));
}

TEST_F(TemplatesTest, KeepsTheOldOneWhenANewOneFails) {
  const Template first = *Import("mine");
  SaveText(file_, "no archive");
  EXPECT_FALSE(templates_->ImportOciArchive("mine", file_, {}));
  EXPECT_EQ(templates_->Find("mine")->overlays, first.overlays);
}

TEST_F(TemplatesTest, RemovesARecordAndLaterItsFolders) {
  const Template made = *Import("mine");
  ASSERT_TRUE(templates_->Remove(made.id));
  EXPECT_EQ(templates_->Find("mine").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(templates_->Remove("mine").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(std::filesystem::exists(made.overlays[0].layers[0]));
  templates_->Clean([](const std::string&) { return false; });
  EXPECT_FALSE(std::filesystem::exists(made.overlays[0].layers[0]));
  EXPECT_EQ(templates_->List().size(), 1U);
}

TEST_F(TemplatesTest, ForgetsWhatAKilledServerWasBuildingAndPassesOverBadRecords) {
  SaveText(directory_ + "/trees/.part-1/root/file", "x");
  SaveText(directory_ + "/records/broken.json", "{");
  templates_ = Open();
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/trees/.part-1"));
  EXPECT_EQ(templates_->List().size(), 1U);
}

constexpr char kTrustedFile[] = "/usr/local/share/ca-certificates/vivarium.crt";

TEST_F(TemplatesTest, BoxesOfEveryTemplateTrustTheAuthority) {
  const std::string pem = MakeAuthorityPem();
  const Template before = *Import("before");
  const Template base_before = *templates_->Find("base");
  ASSERT_TRUE(templates_->TrustAuthority(pem));
  const Template after = *Import("after");
  EXPECT_EQ(LoadText(templates_->Find("before")->overlays[0].layers[0] + kTrustedFile), pem);
  EXPECT_EQ(LoadText(after.overlays[0].layers[0] + kTrustedFile), pem);
  EXPECT_EQ(templates_->Find("after")->overlays, after.overlays);
  const Template base = *templates_->Find("base");
  EXPECT_EQ(base.overlays[0].layers.size(), base_before.overlays[0].layers.size());
  EXPECT_EQ(base.overlays[1].layers.size(), base_before.overlays[1].layers.size());
  for (const Template& made : templates_->List())
    EXPECT_EQ(made.overlays, templates_->Find(made.id)->overlays);
  templates_ = Open();
  ASSERT_TRUE(templates_->TrustAuthority(pem));
  EXPECT_EQ(templates_->Find("base")->overlays, base.overlays);
  EXPECT_EQ(templates_->Find("after")->overlays, after.overlays);
}

TEST_F(TemplatesTest, ProgramsInBaseTrustTheAuthority) {
  ASSERT_TRUE(templates_->TrustAuthority(MakeAuthorityPem()));
  const auto overlays = templates_->Find("base")->overlays;
  const std::string file = kTrustedFile;
  EXPECT_EQ(RunInOverlays(overlays, 1000, "openssl verify " + file),
            file + ": OK\n");  // by its hash
  EXPECT_EQ(RunInOverlays(overlays, 1000,
                          "openssl verify -no-CApath -CAfile "
                          "/etc/ssl/certs/ca-certificates.crt " +
                              file),
            file + ": OK\n");
  EXPECT_EQ(RunInOverlays(overlays, 1000,
                          "sudo -n -l >/dev/null && NODE_EXTRA_CA_CERTS=a AND=b sudo -n "
                          "sh -c 'echo $NODE_EXTRA_CA_CERTS$AND'"),
            "a\n");
  EXPECT_EQ(RunInOverlays(overlays, 1000, "echo x > /usr/local/bin/x && stat -c %a /usr/local"),
            "777\n");
  EXPECT_EQ(RunInOverlays(templates_->Find("base")->overlays, 0, "dpkg --audit | head -3"), "");
}

TEST_F(TemplatesTest, AnotherAuthorityTakesThePlaceOfTheOneBefore) {
  const std::string second = MakeAuthorityPem("Second");
  ASSERT_TRUE(templates_->TrustAuthority(MakeAuthorityPem("First")));
  const Template old = *Import("mine");
  ASSERT_TRUE(templates_->TrustAuthority(second));
  const Template now = *templates_->Find("mine");
  EXPECT_EQ(LoadText(now.overlays[0].layers[0] + kTrustedFile), second);
  const std::string old_layer = old.overlays[0].layers[0];
  templates_->Clean([&](const std::string& folder) { return old_layer.starts_with(folder); });
  EXPECT_TRUE(std::filesystem::exists(old_layer));
  templates_->Clean([](const std::string&) { return false; });
  EXPECT_FALSE(std::filesystem::exists(old_layer));
  EXPECT_TRUE(std::filesystem::exists(now.overlays[0].layers[0]));
}

TEST_F(TemplatesTest, WhatWasRemovedIsTrustedNoMore) {
  ASSERT_TRUE(templates_->TrustAuthority(MakeAuthorityPem()));
  const Template made = *Import("mine");
  ASSERT_TRUE(templates_->Remove("mine"));
  EXPECT_TRUE(std::filesystem::exists(made.overlays[0].layers[0]));  // boxes may stand on it
  templates_->Clean([](const std::string&) { return false; });
  EXPECT_FALSE(std::filesystem::exists(made.overlays[0].layers[0]));
}

TEST_F(TemplatesTest, RefusesNamesThatAreNone) {
  for (const char* name : {"", "../x", "A", "a/b", ".x"})
    EXPECT_EQ(Import(name).error().code, ErrorCode::kInvalidArgument) << name;
}

}  // namespace
}  // namespace viv::templates
