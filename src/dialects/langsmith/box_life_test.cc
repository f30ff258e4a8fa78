#include "base/text.h"
#include "dialects/langsmith/test_support.h"

namespace viv::langsmith {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using BoxLifeTest = LangsmithTest;

TEST_F(BoxLifeTest, FindsABoxByNameUuidAndId) {
  const std::string id = PutNamed("one");
  const std::string uuid = boxes::UuidOfBox(id);
  for (const std::string& ref : {std::string("one"), uuid, id}) {
    ParsedResponse response = Call("GET", "/boxes/" + ref);
    EXPECT_EQ(response.status, 200) << ref;
    EXPECT_EQ(response.Text("id"), uuid) << ref;
  }
  EXPECT_EQ(Call("GET", "/boxes/on%65").status, 200);
}

TEST_F(BoxLifeTest, AnAbsentBoxIsNotFoundByAnyOperation) {
  PutNamed("one");
  const std::pair<const char*, const char*> calls[] = {
      {"GET", "/boxes/absent"},
      {"GET", "/boxes/absent/status"},
      {"PATCH", "/boxes/absent"},
      {"DELETE", "/boxes/absent"},
      {"POST", "/boxes/absent/start"},
      {"POST", "/boxes/absent/stop"},
      {"GET", "/boxes/7d8f2c56-31ae-4f0b-9d0e-6f3f1b7a9c11"}};
  for (const auto& [method, target] : calls) {
    ParsedResponse response = Call(method, target, "{}");
    EXPECT_EQ(response.status, 404) << target;
    EXPECT_EQ(response.type(), "ResourceNotFound") << target;
  }
  for (const char* target : {"/boxes/one", "/boxes/one/status"})
    EXPECT_EQ(Call("GET", target, "", {{"X-Api-Key", "other"}}).status, 404) << target;
  for (const char* target : {"/boxes/one/start", "/boxes/one/stop"})
    EXPECT_EQ(Call("POST", target, "{}", {{"X-Api-Key", "other"}}).status, 404) << target;
  EXPECT_EQ(Call("DELETE", "/boxes/one", "", {{"X-Api-Key", "other"}}).status, 404);
  EXPECT_EQ(boxes_.boxes.size(), 1u);
}

TEST_F(BoxLifeTest, ShowsAStatusPerState) {
  const std::pair<boxes::BoxState, const char*> states[] = {
      {boxes::BoxState::kStarting, "provisioning"},
      {boxes::BoxState::kRunning, "ready"},
      {boxes::BoxState::kPaused, "stopped"},
      {boxes::BoxState::kStopped, "stopped"},
      {boxes::BoxState::kFailed, "failed"}};
  const std::string id = PutNamed("one");
  for (const auto& [state, status] : states) {
    boxes_.Edit(id, [state = state](boxes::Box& box) {
      box.state = state;
      box.message = state == boxes::BoxState::kFailed ? "no disk \xff" : "";
    });
    ParsedResponse response = Call("GET", "/boxes/one/status");
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.Text("status"), status);
    EXPECT_EQ(response.Text("status_message"),
              state == boxes::BoxState::kFailed ? "no disk ?" : "");
  }
}

TEST_F(BoxLifeTest, StopsAndStarts) {
  const std::string id = PutNamed("one");
  boxes_.Edit(id, [](boxes::Box& box) { box.spec.timeout_seconds = 0; });
  ParsedResponse before = Call("GET", "/boxes/one");
  ParsedResponse stopped = Call("POST", "/boxes/one/stop", "{}");
  EXPECT_EQ(stopped.status, 204);
  EXPECT_EQ(stopped.text, "");
  EXPECT_EQ(At(id).state, boxes::BoxState::kStopped);
  ParsedResponse shown = Call("GET", "/boxes/one");
  EXPECT_EQ(shown.Text("status"), "stopped");
  EXPECT_NE(shown.Text("stopped_at"), "");
  ParsedResponse started = Call("POST", "/boxes/one/start", "{}");
  EXPECT_EQ(started.status, 202);
  EXPECT_EQ(started.Text("status"), "ready");
  EXPECT_EQ(Find(started.body, "stopped_at"), nullptr);
  EXPECT_EQ(started.Text("dataplane_url"), before.Text("dataplane_url"));
  EXPECT_EQ(At(id).ends_at_us, boxes::kNoEndUs);
}

TEST_F(BoxLifeTest, ABoxOfAnotherDialectIsStartedForItsOwnTime) {
  const std::string id = PutNamed("", boxes::BoxState::kPaused);
  boxes_.Edit(id, [](boxes::Box& box) { box.spec.timeout_seconds = 300; });
  EXPECT_EQ(Call("POST", "/boxes/" + id + "/start").status, 202);
  EXPECT_EQ(At(id).ends_at_us, boxes_.now_us + 300'000'000);
}

TEST_F(BoxLifeTest, KeepsMemoryWhereThatWasAskedFor) {
  const std::string id = PutNamed("one");
  boxes_.Edit(id, [](boxes::Box& box) { box.spec.keep_memory = true; });
  EXPECT_EQ(Call("POST", "/boxes/one/stop").status, 204);
  EXPECT_EQ(At(id).state, boxes::BoxState::kPaused);
  EXPECT_EQ(Call("POST", "/boxes/one/start").status, 202);
}

TEST_F(BoxLifeTest, StartsOnlyWhatIsAtRest) {
  PutNamed("ready");
  PutNamed("starting", boxes::BoxState::kStarting);
  PutNamed("failed", boxes::BoxState::kFailed);
  for (const char* name : {"ready", "starting"}) {
    ParsedResponse response = Call("POST", std::string("/boxes/") + name + "/start", "{}");
    EXPECT_EQ(response.status, 400) << name;
    EXPECT_EQ(response.type(), "InvalidRequest") << name;
    EXPECT_THAT(response.message(), HasSubstr(name));
  }
  EXPECT_EQ(Call("POST", "/boxes/failed/start", "{}").status, 202);
}

TEST_F(BoxLifeTest, StopsOnlyWhatIsReady) {
  PutNamed("starting", boxes::BoxState::kStarting);
  PutNamed("failed", boxes::BoxState::kFailed);
  PutNamed("stopped", boxes::BoxState::kStopped);
  PutNamed("paused", boxes::BoxState::kPaused);
  for (const char* name : {"starting", "failed", "stopped", "paused"}) {
    ParsedResponse response = Call("POST", std::string("/boxes/") + name + "/stop", "{}");
    EXPECT_EQ(response.status, 400) << name;
    EXPECT_EQ(response.type(), "InvalidRequest") << name;
  }
}

TEST_F(BoxLifeTest, AStateThatChangedMeanwhileIsAWrongOne) {
  PutNamed("one");
  PutNamed("two", boxes::BoxState::kStopped);
  boxes_.failure = Error{ErrorCode::kConflict, "box is stopped already"};
  EXPECT_EQ(Call("POST", "/boxes/one/stop").status, 400);
  boxes_.failure = Error{ErrorCode::kConflict, "box runs already"};
  EXPECT_EQ(Call("POST", "/boxes/two/start").status, 400);
  boxes_.failure = Error{ErrorCode::kLimitExceeded, "no more fit"};
  EXPECT_EQ(Call("POST", "/boxes/two/start").status, 429);
}

TEST_F(BoxLifeTest, DeletesABox) {
  const std::string id = PutNamed("one", boxes::BoxState::kStopped);
  EXPECT_EQ(Call("DELETE", "/boxes/one").status, 204);
  EXPECT_EQ(boxes_.boxes.count(id), 0u);
  EXPECT_EQ(Call("DELETE", "/boxes/one").status, 404);
}

TEST_F(BoxLifeTest, DeletesManyAndTellsWhichStay) {
  PutNamed("one");
  const std::string two = boxes::UuidOfBox(PutNamed("two"));
  boxes::Box foreign;
  foreign.account_id = "theirs";
  foreign.spec.name = "three";
  Put(std::move(foreign));
  ParsedResponse response =
      Call("POST", "/boxes/batch-delete", R"({"names":["one",")" + two + R"(","three","one"]})");
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(WriteJson(response.body.at("deleted")), R"(["one",")" + two + R"("])");
  EXPECT_EQ(WriteJson(response.body.at("skipped")),
            R"([{"name":"three","reason":"not found"},{"name":"one","reason":"not found"}])");
  EXPECT_EQ(boxes_.boxes.size(), 1u);
  EXPECT_EQ(Call("POST", "/boxes/batch-delete", R"({"names":[]})").text,
            R"({"deleted":[],"skipped":[]})");
}

TEST_F(BoxLifeTest, RefusesABatchThatMakesNoSense) {
  std::string many = R"({"names":["a")";
  for (int i = 0; i < 500; ++i) many += R"(,"a")";
  many += "]}";
  for (const std::string& body :
       {std::string("{}"), std::string(R"({"names":"one"})"), std::string(R"({"names":[1]})"),
        std::string(R"({"names":null})"), many})
    EXPECT_THAT(Call("POST", "/boxes/batch-delete", body).field(), StartsWith("names"))
        << body.substr(0, 40);
  EXPECT_EQ(Call("POST", "/boxes/batch-delete", "").status, 400);
}

TEST_F(BoxLifeTest, CountsWhatIsUsed) {
  context_.boxes_max = 7;
  const std::string id = PutNamed("one");
  boxes_.Edit(id, [](boxes::Box& box) {
    box.spec.limits.cpus = 0.5;
    box.spec.limits.memory_bytes = 2LL << 30;
  });
  PutNamed("two", boxes::BoxState::kStopped);
  ParsedResponse response = Call("GET", "/usage");
  EXPECT_EQ(response.status, 200);
  auto number = [&response](const char* name) {
    return response.body.at(name).to_number<int64_t>();
  };
  EXPECT_EQ(number("cpu_used_millicores"), 500);
  EXPECT_EQ(number("memory_used_bytes"), 2LL << 30);
  EXPECT_EQ(number("sandboxes_used"), 2);
  EXPECT_EQ(number("sandboxes_limit"), 7);
  EXPECT_EQ(number("sandbox_running_count"), 1);
  EXPECT_EQ(number("sandbox_stopped_count"), 1);
  EXPECT_EQ(number("snapshots_count"), 0);
  EXPECT_EQ(number("registries_count"), 0);
  EXPECT_GT(number("cpu_limit_millicores"), 0);
  EXPECT_GT(number("memory_limit_bytes"), 0);
  ParsedResponse costs = Call("GET", "/usage/costs");
  EXPECT_EQ(costs.status, 200);
  EXPECT_EQ(costs.body.at("total_cost").to_number<double>(), 0);
}

TEST_F(BoxLifeTest, ProbesAccess) {
  const std::string uuid = boxes::UuidOfBox(PutNamed("one"));
  const std::string path = "/auth/sandbox-access?sandbox_id=" + uuid;
  for (const char* action : {"exec", "file", "tunnel", "proxy"})
    EXPECT_EQ(Call("GET", path + "&action=" + action).status, 200) << action;
  ParsedResponse denied = Call("GET", path + "&action=exec", "", {{"X-Api-Key", "other"}});
  EXPECT_EQ(denied.status, 403);
  EXPECT_EQ(denied.type(), "Forbidden");
  for (const std::string& wrong : {path, path + "&action=read", std::string("/auth/sandbox-access"),
                                   std::string("/auth/sandbox-access?action=exec")})
    EXPECT_EQ(Call("GET", wrong).status, 400) << wrong;
}

TEST_F(BoxLifeTest, TakesAKeyInEveryHeader) {
  using Headers = HeaderList;
  EXPECT_EQ(CallOpenly("GET", "/v2/sandboxes/boxes").status, 401);
  for (const Headers& headers :
       {Headers{{"X-Api-Key", "key"}}, Headers{{"Authorization", "Bearer key"}},
        Headers{{"X-Service-Key", "key"}}, Headers{{"x-api-key", "key"}}})
    EXPECT_EQ(CallOpenly("GET", "/v2/sandboxes/boxes", headers).status, 200);
  for (const Headers& headers :
       {Headers{{"X-Api-Key", "no"}}, Headers{{"Authorization", "Bearer no"}},
        Headers{{"X-Service-Key", "no"}}}) {
    ParsedResponse response = CallOpenly("GET", "/v2/sandboxes/boxes", headers);
    EXPECT_EQ(response.status, 401);
    EXPECT_EQ(response.type(), "Unauthorized");
  }
}

}  // namespace
}  // namespace viv::langsmith
