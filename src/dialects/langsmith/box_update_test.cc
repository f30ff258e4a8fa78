#include "dialects/langsmith/box_annotation.h"
#include "dialects/langsmith/test_support.h"

namespace viv::langsmith {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class BoxUpdateTest : public LangsmithTest {
 protected:
  std::string Create(const std::string& body) {
    ParsedResponse response = Call("POST", "/boxes", body);
    EXPECT_EQ(response.status, 201) << response.text;
    return *boxes::BoxOfUuid(response.Text("id"));
  }
  ParsedResponse Patch(const std::string& name, std::string body) {
    return Call("PATCH", "/boxes/" + name, std::move(body));
  }
};

TEST_F(BoxUpdateTest, ChangesNameAndTimes) {
  const std::string id = Create(R"({"name":"one"})");
  ParsedResponse response =
      Patch("one", R"({"name":"two","idle_ttl_seconds":120,"delete_after_stop_seconds":0})");
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.Text("name"), "two");
  EXPECT_EQ(response.Text("id"), boxes::UuidOfBox(id));
  EXPECT_EQ(response.body.at("idle_ttl_seconds").as_int64(), 120);
  EXPECT_EQ(response.body.at("delete_after_stop_seconds").as_int64(), 0);
  EXPECT_EQ(At(id).spec.name, "two");
  EXPECT_EQ(Call("GET", "/boxes/one").status, 404);
  EXPECT_EQ(Call("GET", "/boxes/two").status, 200);
}

TEST_F(BoxUpdateTest, IsAGetWhenNothingIsGiven) {
  const std::string id = Create(R"({"name":"one"})");
  const boxes::BoxPtr before = boxes_.boxes.at(id);
  for (const char* body : {"", "{}", R"({"name":null})", R"({"of_no_meaning":1})"}) {
    ParsedResponse response = Patch("one", body);
    EXPECT_EQ(response.status, 200) << body;
    EXPECT_EQ(response.Text("name"), "one") << body;
  }
  EXPECT_EQ(boxes_.boxes.at(id), before);
}

TEST_F(BoxUpdateTest, RefusesATakenName) {
  Create(R"({"name":"one"})");
  Create(R"({"name":"two"})");
  ParsedResponse response = Patch("one", R"({"name":"two"})");
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(response.type(), "Conflict");
  EXPECT_EQ(Patch("one", R"({"name":"one"})").status, 200);
}

TEST_F(BoxUpdateTest, ReplacesTheProxyConfigWhole) {
  const std::string id = Create(
      R"({"name":"one","proxy_config":{"access_control":{"deny_list":["bad.example"]},
            "rules":[{"name":"r","match_hosts":["a.example"],"env_vars":{"GH":"placeholder"},
              "headers":[{"name":"Authorization","type":"opaque","value":"s3cret"}]}]}})");
  EXPECT_THAT(At(id).spec.variables, ElementsAre(Pair("GH", "placeholder")));
  const BoxAnnotation first = AnnotationOf(At(id));
  const network::Policy policy = At(id).spec.network.egress;

  // An opaque header without its value keeps the secret.
  ParsedResponse kept =
      Patch("one", R"({"proxy_config":{"rules":[{"name":"r","match_hosts":["a.example"],
      "headers":[{"name":"Authorization","type":"opaque"}]}]}})");
  EXPECT_EQ(kept.status, 200) << kept.text;
  EXPECT_TRUE(At(id).spec.variables.empty());
  EXPECT_NE(At(id).spec.network.egress, policy);
  const json::value stored = AnnotationOf(At(id)).proxy_config;
  EXPECT_EQ(stored.at("rules").at(0).at("headers").at(0).at("sealed"),
            first.proxy_config.at("rules").at(0).at("headers").at(0).at("sealed"));
  EXPECT_TRUE(
      kept.body.at("proxy_config").at("rules").at(0).at("headers").at(0).at("is_set").as_bool());

  ParsedResponse cleared = Patch("one", R"({"proxy_config":{}})");
  EXPECT_EQ(cleared.status, 200);
  EXPECT_EQ(At(id).spec.network.egress, network::Policy());
}

TEST_F(BoxUpdateTest, ChangesTheProxyOfABoxThatIsReadyOnly) {
  const std::string id = Create(R"({"name":"one"})");
  for (auto state : {boxes::BoxState::kStopped, boxes::BoxState::kPaused, boxes::BoxState::kFailed,
                     boxes::BoxState::kStarting}) {
    boxes_.Edit(id, [state](boxes::Box& box) { box.state = state; });
    ParsedResponse response =
        Patch("one", R"({"proxy_config":{"access_control":{"allow_list":["a.example"]}}})");
    EXPECT_EQ(response.status, 400) << response.text;
    EXPECT_EQ(response.type(), "InvalidRequest");
    EXPECT_EQ(At(id).spec.network.egress, network::Policy());
    EXPECT_EQ(Patch("one", R"({"vcpus":2,"proxy_config":null})").status, 200);
  }
}

TEST_F(BoxUpdateTest, MergesTheRunConfig) {
  const std::string id = Create(
      R"({"name":"one","env_vars":{"E":"env"},
          "run_config":{"user":"user","env_vars":{"A":"1","B":"1"}}})");
  boxes_.Edit(id, [](boxes::Box& box) { box.spec.variables["FROM_IMAGE"] = "yes"; });
  ParsedResponse response =
      Patch("one", R"({"run_config":{"work_dir":"/srv","env_vars":{"B":"2","C":"2"}}})");
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(WriteJson(response.body.at("run_config").at("env_vars")),
            R"({"A":"1","B":"2","C":"2"})");
  EXPECT_EQ(response.body.at("run_config").at("user").as_string(), "user");
  EXPECT_EQ(At(id).spec.user, "user");
  EXPECT_EQ(At(id).spec.workdir, "/srv");
  EXPECT_THAT(At(id).spec.variables, ElementsAre(Pair("A", "1"), Pair("B", "2"), Pair("C", "2"),
                                                 Pair("E", "env"), Pair("FROM_IMAGE", "yes")));
}

TEST_F(BoxUpdateTest, ChangesTheSize) {
  const std::string id = Create(R"({"name":"one","vcpus":1})");
  ParsedResponse response = Patch("one", R"({"vcpus":2,"fs_capacity_bytes":32212254720})");
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_DOUBLE_EQ(At(id).spec.limits.cpus, 2);
  EXPECT_EQ(At(id).spec.disk_bytes, 30LL << 30);
  EXPECT_EQ(Patch("one", R"({"fs_capacity_bytes":1073741824})").status, 422);
}

TEST_F(BoxUpdateTest, TakesNothingBackOfAnotherPatchThatCameBetween) {
  const std::string id = Create(R"({"name":"one"})");
  boxes_.before_update = [this] {
    boxes_.before_update = nullptr;
    EXPECT_EQ(Patch("one", R"({"run_config":{"env_vars":{"A":"1"}}})").status, 200);
  };
  ParsedResponse response = Patch("one", R"({"run_config":{"env_vars":{"B":"2"}}})");
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(WriteJson(response.body.at("run_config").at("env_vars")), R"({"A":"1","B":"2"})");
  EXPECT_THAT(At(id).spec.variables, ElementsAre(Pair("A", "1"), Pair("B", "2")));
}

TEST_F(BoxUpdateTest, KeepsWhatABoxOfAnotherDialectHas) {
  boxes::Box box;
  box.spec.user = "user";
  box.spec.workdir = "/home/user/app";
  box.spec.variables = {{"A", "1"}};
  const std::string id = Put(std::move(box));
  ParsedResponse response = Patch(boxes::UuidOfBox(id), R"({"name":"mine-now"})");
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(At(id).spec.user, "user");
  EXPECT_EQ(At(id).spec.variables.at("A"), "1");
  EXPECT_EQ(Find(response.body, "run_config"), nullptr);
  EXPECT_EQ(Patch("mine-now", R"({"run_config":{"env_vars":{"B":"2"}}})").status, 200);
  EXPECT_EQ(At(id).spec.user, "user");
  EXPECT_EQ(At(id).spec.workdir, "/home/user/app");
  EXPECT_THAT(At(id).spec.variables, ElementsAre(Pair("A", "1"), Pair("B", "2")));
}

TEST_F(BoxUpdateTest, RefusesWhatMakesNoSense) {
  const std::string id = Create(R"({"name":"one"})");
  const boxes::BoxPtr before = boxes_.boxes.at(id);
  const std::pair<const char*, const char*> cases[] = {
      {R"({"name":""})", "name"},
      {R"({"name":7})", "name"},
      {R"({"idle_ttl_seconds":61})", "idle_ttl_seconds"},
      {R"({"delete_after_stop_seconds":-60})", "delete_after_stop_seconds"},
      {R"({"tag_value_ids":[1]})", "tag_value_ids"},
      {R"({"run_config":"root"})", "run_config"},
      {R"({"run_config":{"work_dir":"relative"}})", "run_config.work_dir"},
      {R"({"proxy_config":{"access_control":{"allow_list":["~("]}}})", "proxy_config"},
      {R"({"vcpus":"2"})", "vcpus"},
  };
  for (const auto& [body, field] : cases) {
    ParsedResponse response = Patch("one", body);
    EXPECT_EQ(response.status, 422) << body;
    EXPECT_EQ(response.field().substr(0, std::string(field).size()), field) << body;
  }
  for (const char* body : {"{", "[]", "7"}) EXPECT_EQ(Patch("one", body).status, 400) << body;
  EXPECT_EQ(boxes_.boxes.at(id), before);
}

TEST_F(BoxUpdateTest, FindsNoBoxOfAnotherAccount) {
  Create(R"({"name":"one"})");
  EXPECT_EQ(Call("PATCH", "/boxes/one", R"({"name":"x"})", {{"X-Api-Key", "other"}}).status, 404);
  EXPECT_EQ(Patch("absent", R"({"name":"x"})").status, 404);
}

TEST_F(BoxUpdateTest, ANoteThatCannotBeReadIsNone) {
  boxes::Box box;
  box.account_id = "mine";
  box.spec.variables = {{"A", "1"}};
  for (const char* text : {"", "{", "[]"}) {
    box.spec.annotations["langsmith"] = text;
    const BoxAnnotation annotation = AnnotationOf(box);
    EXPECT_TRUE(annotation.proxy_config.is_null()) << text;
  }
}

}  // namespace
}  // namespace viv::langsmith
