#include "dialects/langsmith/snapshots.h"
#include "dialects/langsmith/test_support.h"

namespace viv::langsmith {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Imports that end when the test says so.
class FakeImages : public boxes::ImageImports {
 public:
  struct Started {
    boxes::ImportImage request;
    Done done;
  };
  std::vector<Started> started;
  std::set<std::string> ids;
  std::optional<Error> failure;

  Status Start(boxes::ImportImage request, Done done) override {
    if (failure) return PassUp(*failure);
    ids.insert(request.id);
    started.push_back({std::move(request), std::move(done)});
    return {};
  }
  std::set<std::string> under_way() const override { return ids; }
};

constexpr char kBuildBody[] =
    R"({"name": "py", "docker_image": "reg.example.com/a/b:1", "fs_capacity_bytes": 17179869184})";

class SnapshotBuildTest : public LangsmithTest {
 protected:
  SnapshotBuildTest() { context_.images = &images_; }

  // Ends the last build, as an import does: first the snapshot stands, then its end is told.
  void End(std::optional<Error> failure = {}) {
    FakeImages::Started& last = images_.started.back();
    if (failure) {
      last.done(PassUp(*failure));
    } else {
      boxes::TemplateInfo info = boxes_.templates.front();
      info.id = last.request.id;
      info.names = {last.request.name};
      info.is_snapshot = true;
      info.disk_bytes = last.request.disk_bytes;
      boxes_.templates.push_back(info);
      boxes_.owners[info.id] = last.request.account_id;
      last.done(boxes::ImportedImage{info, "sha256:abc", "app", "/srv"});
    }
    images_.ids.erase(last.request.id);
  }

  FakeImages images_;
};

TEST_F(SnapshotBuildTest, ABuildIsBuildingThenReady) {
  ParsedResponse made = Call("POST", "/snapshots", kBuildBody);
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(made.Text("status"), "building");
  EXPECT_EQ(made.Text("docker_image"), "reg.example.com/a/b:1");
  const std::string id(made.Text("id"));
  EXPECT_EQ(Call("GET", "/snapshots/" + id).Text("status"), "building");
  EXPECT_EQ(Call("GET", "/snapshots/py").Text("id"), id);
  EXPECT_EQ(ResolveSnapshot(context_, "mine", id).error().code, ErrorCode::kConflict);
  EXPECT_EQ(Call("DELETE", "/snapshots/" + id).status, 409);
  ASSERT_EQ(images_.started.size(), 1u);
  EXPECT_EQ(images_.started[0].request.reference, "reg.example.com/a/b:1");
  EXPECT_EQ(images_.started[0].request.account_id, "mine");
  EXPECT_EQ(images_.started[0].request.disk_bytes, 16LL << 30);
  EXPECT_FALSE(images_.started[0].request.login);

  End();
  ParsedResponse ready = Call("GET", "/snapshots/" + id);
  EXPECT_EQ(ready.Text("status"), "ready");
  EXPECT_EQ(ready.Text("image_digest"), "sha256:abc");
  EXPECT_EQ(WriteJson(ready.body.at("tags")), R"(["latest"])");
  EXPECT_EQ(Find(ready.body, "source_sandbox_id"), nullptr);
  auto resolved = ResolveSnapshot(context_, "mine", "py");
  EXPECT_EQ(resolved->id, id);
  EXPECT_EQ(WriteJson(resolved->run_config), R"({"user":"app","work_dir":"/srv"})");
  EXPECT_EQ(Find(ready.body, "run_config"), nullptr);
  EXPECT_EQ(Call("GET", "/snapshots/" + id, "", {{"X-Api-Key", "other"}}).status, 404);
  EXPECT_EQ(Call("DELETE", "/snapshots/" + id).status, 204);
  EXPECT_EQ(boxes_.templates.size(), 1u);
}

TEST_F(SnapshotBuildTest, AFailureSaysWhyAndLeavesTheTagToTheLastGoodOne) {
  const std::string good(Call("POST", "/snapshots", kBuildBody).Text("id"));
  End();
  boxes_.now_us += 1'000'000;
  const std::string bad(Call("POST", "/snapshots", kBuildBody).Text("id"));
  EXPECT_EQ(ResolveSnapshot(context_, "mine", "py")->id, good);
  End(Error{ErrorCode::kUnavailable, "install skopeo"});
  ParsedResponse failed = Call("GET", "/snapshots/" + bad);
  EXPECT_EQ(failed.Text("status"), "failed");
  EXPECT_EQ(failed.Text("status_message"), "install skopeo");
  EXPECT_EQ(ResolveSnapshot(context_, "mine", "py")->id, good);
  const Error error = ResolveSnapshot(context_, "mine", bad).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("install skopeo"));
  EXPECT_EQ(Call("GET", "/snapshots?status=failed").body.at("items").as_array().size(), 1u);
  EXPECT_EQ(Call("DELETE", "/snapshots/" + bad).status, 204);
  EXPECT_EQ(Call("GET", "/snapshots/" + bad).status, 404);
}

TEST_F(SnapshotBuildTest, ABuildThatTheServersEndInterruptedHasFailed) {
  const std::string id(Call("POST", "/snapshots", kBuildBody).Text("id"));
  images_.ids.clear();  // the next server knows of none
  ParsedResponse shown = Call("GET", "/snapshots/" + id);
  EXPECT_EQ(shown.Text("status"), "failed");
  EXPECT_THAT(shown.Text("status_message"), HasSubstr("restarted during the build"));
  EXPECT_EQ(Call("DELETE", "/snapshots/" + id).status, 204);
}

TEST_F(SnapshotBuildTest, WhatNobodyWasToldOfIsRemoved) {
  store_.failure = Error{ErrorCode::kInternal, "disk full"};
  EXPECT_EQ(Call("POST", "/snapshots", kBuildBody).status, 500);
  End();
  EXPECT_EQ(boxes_.templates.size(), 1u);
  EXPECT_TRUE(Call("GET", "/snapshots").body.at("items").as_array().empty());
}

TEST_F(SnapshotBuildTest, AnEndAfterTheRoutesLeadsToNothing) {
  Call("POST", "/snapshots", kBuildBody);
  router_ = http::Router();
  End();
  EXPECT_THAT(store_.documents.begin()->second.body, HasSubstr("building"));
}

TEST_F(SnapshotBuildTest, TheRegistryGivesItsCredentials) {
  const std::string registry(
      Call("POST", "/registries",
           R"({"name": "r", "url": "http://reg.example.com", "username": "u", "password": "p"})")
          .Text("id"));
  ParsedResponse made = Call("POST", "/snapshots",
                             R"({"name": "py", "docker_image": "reg.example.com/a:1",
                         "fs_capacity_bytes": 1073741824, "registry_id": ")" +
                                 registry + "\"}");
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(made.Text("registry_id"), registry);
  const boxes::ImportImage& request = images_.started.back().request;
  ASSERT_TRUE(request.login);
  EXPECT_EQ(request.login->user, "u");
  EXPECT_EQ(request.login->password, "p");
  EXPECT_EQ(request.transport, boxes::RegistryTransport::kPlain);
  // Another registry's image does not get them, and another account has none.
  ParsedResponse other = Call("POST", "/snapshots",
                              R"({"name": "py", "docker_image": "evil.example.com/a:1",
                          "fs_capacity_bytes": 1073741824, "registry_id": "r"})");
  EXPECT_EQ(other.status, 422);
  EXPECT_EQ(other.field(), "docker_image");
  other = Call("POST", "/snapshots",
               R"({"name": "py", "docker_image": "reg.example.com/a:1",
                   "fs_capacity_bytes": 1073741824, "registry_id": ")" +
                   registry + "\"}",
               {{"X-Api-Key", "other"}});
  EXPECT_EQ(other.status, 422);
  EXPECT_EQ(other.field(), "registry_id");
  EXPECT_EQ(images_.started.size(), 1u);
}

TEST_F(SnapshotBuildTest, ItsDescriptionIsKeptToTheEnd) {
  std::string body(kBuildBody);
  body.insert(1, R"("description": "has Python", )");
  ParsedResponse made = Call("POST", "/snapshots", body);
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(made.Text("description"), "has Python");
  End();
  EXPECT_EQ(Call("GET", "/snapshots/py").Text("description"), "has Python");
  std::string longer(kBuildBody);
  longer.insert(1, R"("description": ")" + std::string(1025, 'x') + "\", ");
  EXPECT_EQ(Call("POST", "/snapshots", longer).field(), "description");
}

TEST_F(SnapshotBuildTest, WhatCannotBeBuiltIsNamed) {
  struct Case {
    const char* body;
    const char* field;
  };
  for (const Case& one : {
           Case{R"({"docker_image": "debian", "fs_capacity_bytes": 1073741824})", "name"},
           Case{R"({"name": "a", "fs_capacity_bytes": 1073741824})", "docker_image"},
           Case{R"({"name": "a", "docker_image": "-x", "fs_capacity_bytes": 1073741824})",
                "docker_image"},
           Case{R"({"name": "a", "docker_image": "oci:/etc", "fs_capacity_bytes": 1073741824})",
                "docker_image"},
           Case{R"({"name": "a", "docker_image": "debian"})", "fs_capacity_bytes"},
           Case{R"({"name": "a", "docker_image": "debian", "fs_capacity_bytes": 0})",
                "fs_capacity_bytes"},
           Case{R"({"name": "a", "docker_image": "debian", "fs_capacity_bytes": 1073741824,
                    "registry_id": "none"})",
                "registry_id"},
       }) {
    ParsedResponse response = Call("POST", "/snapshots", one.body);
    EXPECT_EQ(response.status, 422) << one.body;
    EXPECT_EQ(response.field(), one.field) << one.body;
  }
  EXPECT_TRUE(images_.started.empty());
  EXPECT_TRUE(store_.documents.empty());
}

TEST_F(SnapshotBuildTest, TooManyBuildsAreRefusedAndLeaveNothing) {
  images_.failure = Error{ErrorCode::kLimitExceeded, "too many images"};
  EXPECT_EQ(Call("POST", "/snapshots", kBuildBody).status, 429);
  EXPECT_TRUE(store_.documents.empty());
}

TEST_F(SnapshotBuildTest, AServerWithoutImportsSaysSo) {
  context_.images = nullptr;
  ParsedResponse response = Call("POST", "/snapshots", kBuildBody);
  EXPECT_EQ(response.status, 503);
  EXPECT_THAT(response.message(), Not(HasSubstr("py")));
}

}  // namespace
}  // namespace viv::langsmith
