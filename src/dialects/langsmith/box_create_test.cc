#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/ids.h"
#include "dialects/langsmith/body.h"
#include "dialects/langsmith/box_annotation.h"
#include "dialects/langsmith/create_timeout.h"
#include "dialects/langsmith/test_support.h"

namespace viv::langsmith {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Pair;

class BoxCreateTest : public LangsmithTest {
 protected:
  const boxes::Box& Made(const ParsedResponse& response) {
    EXPECT_EQ(response.status, 201) << response.text;
    return At(*boxes::BoxOfUuid(response.Text("id")));
  }
  ParsedResponse Create(std::string body) { return Call("POST", "/boxes", std::move(body)); }
};

TEST_F(BoxCreateTest, AnswersABoxThatIsReady) {
  ParsedResponse response = Create(R"({"wait_for_ready":true,"timeout":60,"name":"one"})");
  const boxes::Box& box = Made(response);
  EXPECT_TRUE(IsUuid(response.Text("id")));
  EXPECT_EQ(response.Text("name"), "one");
  EXPECT_EQ(response.Text("status"), "ready");
  EXPECT_EQ(response.Text("dataplane_url"),
            "http://box.test:8080/v2/sandboxes/" + std::string(response.Text("id")));
  EXPECT_EQ(response.Text("created_at"), response.Text("updated_at"));
  EXPECT_EQ(response.Text("created_by"), "mine");
  EXPECT_EQ(response.Text("updated_by"), "mine");
  EXPECT_EQ(response.body.at("idle_ttl_seconds").as_int64(), 600);
  EXPECT_EQ(response.body.at("delete_after_stop_seconds").as_int64(), 1'209'600);
  EXPECT_EQ(response.body.at("fs_capacity_bytes").as_int64(), 16LL << 30);
  EXPECT_EQ(response.body.at("cpu_millicores").as_int64(), 500);
  EXPECT_EQ(response.body.at("preserve_memory_on_stop").as_bool(), false);
  EXPECT_EQ(response.body.at("persistent").as_bool(), true);
  EXPECT_TRUE(response.body.at("labels").as_object().empty());
  for (const char* absent : {"stopped_at", "status_message", "snapshot_id", "run_config",
                             "proxy_config", "mount_config", "access_delegation"})
    EXPECT_EQ(Find(response.body, absent), nullptr) << absent;

  EXPECT_EQ(box.spec.template_name, "base");
  EXPECT_EQ(box.spec.user, "root");
  EXPECT_EQ(box.spec.workdir, "/root");
  EXPECT_EQ(box.spec.wake, boxes::WakeOnTraffic::kAlways);
  EXPECT_EQ(box.spec.timeout_seconds, 0);
  EXPECT_EQ(box.ends_at_us, boxes::kNoEndUs);
  EXPECT_TRUE(box.spec.survives_exit);
  EXPECT_EQ(box.spec.idle_seconds, 600);
  EXPECT_EQ(box.spec.keep_stopped_seconds, 1'209'600);
}

TEST_F(BoxCreateTest, AnswersAtOnceWhenNobodyWaits) {
  ParsedResponse response = Create(R"({"wait_for_ready":false})");
  EXPECT_EQ(Made(response).state, boxes::BoxState::kStarting);
  EXPECT_EQ(response.Text("status"), "provisioning");
}

TEST_F(BoxCreateTest, IsServedUnderBothPrefixes) {
  ParsedResponse response = CallPath("POST", "/api/v2/sandboxes/boxes", "{}");
  Made(response);
  EXPECT_THAT(std::string(response.Text("dataplane_url")),
              HasSubstr("http://box.test:8080/v2/sandboxes/"));
}

TEST_F(BoxCreateTest, PutsThePublicUrlIntoItsLinks) {
  context_.public_url = "https://viv.example";
  EXPECT_THAT(std::string(Create("{}").Text("dataplane_url")),
              MatchesRegex("https://viv.example/v2/sandboxes/[0-9a-f-]{36}"));
}

TEST_F(BoxCreateTest, ChoosesANameWhenNoneIsGiven) {
  ParsedResponse first = Create("{}");
  ParsedResponse second = Create("{}");
  EXPECT_THAT(std::string(first.Text("name")), MatchesRegex("sandbox-[0-9a-f]{8}"));
  EXPECT_NE(first.Text("name"), second.Text("name"));
  EXPECT_EQ(Made(first).spec.name, first.Text("name"));
}

TEST_F(BoxCreateTest, KeepsWhatTheRequestSays) {
  ParsedResponse response = Create(
      R"({"name":"a.B-c_1","idle_ttl_seconds":0,"delete_after_stop_seconds":3600,"vcpus":2,
          "fs_capacity_bytes":21474836480,"labels":{"team":"red"},"preserve_memory_on_stop":true,
          "restore_memory":null,"env_vars":{"A":"1"},"tag_value_ids":["x"],"of_no_meaning":[1]})");
  const boxes::Box& box = Made(response);
  EXPECT_EQ(box.spec.name, "a.B-c_1");
  EXPECT_EQ(box.spec.idle_seconds, 0);
  EXPECT_EQ(box.spec.keep_stopped_seconds, 3600);
  EXPECT_DOUBLE_EQ(box.spec.limits.cpus, 2);
  EXPECT_EQ(box.spec.limits.memory_bytes, 8LL << 30);
  EXPECT_EQ(box.spec.disk_bytes, 20LL << 30);
  EXPECT_THAT(box.spec.metadata, ElementsAre(Pair("team", "red")));
  EXPECT_THAT(box.spec.variables, ElementsAre(Pair("A", "1")));
  EXPECT_TRUE(box.spec.keep_memory);
  EXPECT_FALSE(box.spec.network.public_traffic);
  EXPECT_THAT(AnnotationOf(box).tag_value_ids, ElementsAre("x"));
  EXPECT_EQ(response.body.at("vcpus").as_int64(), 2);
  EXPECT_EQ(response.body.at("mem_bytes").as_int64(), 8LL << 30);
  EXPECT_EQ(response.body.at("labels").at("team").as_string(), "red");
  EXPECT_EQ(response.body.at("preserve_memory_on_stop").as_bool(), true);
}

TEST_F(BoxCreateTest, IsDisposableWhenItIsNotToPersist) {
  ParsedResponse brief = Create(R"({"persistent":false,"volumes":[]})");
  EXPECT_TRUE(Made(brief).spec.disposable);
  EXPECT_EQ(brief.body.at("persistent").as_bool(), false);
  ParsedResponse usual = Create(R"({"persistent":true,"preserve_memory_on_stop":true})");
  EXPECT_FALSE(Made(usual).spec.disposable);
}

TEST_F(BoxCreateTest, LaysVariablesInOrder) {
  const boxes::Box& box = Made(Create(
      R"({"proxy_config":{"rules":[{"name":"r","match_hosts":["a.example"],
            "headers":[{"name":"X-A","type":"plaintext","value":"v"}],
            "env_vars":{"A":"rule","B":"rule","C":"rule"}}]},
          "env_vars":{"C":"box"},"run_config":{"env_vars":{"B":"run","C":"run"}}})"));
  EXPECT_THAT(box.spec.variables,
              ElementsAre(Pair("A", "rule"), Pair("B", "run"), Pair("C", "box")));
}

TEST_F(BoxCreateTest, RunsAsTheRunConfigSays) {
  ParsedResponse response =
      Create(R"({"run_config":{"user":"user","work_dir":"/srv","env_vars":{"A":"1"}}})");
  const boxes::Box& box = Made(response);
  EXPECT_EQ(box.spec.user, "user");
  EXPECT_EQ(box.spec.workdir, "/srv");
  EXPECT_EQ(WriteJson(response.body.at("run_config").at("env_vars")), R"({"A":"1"})");
  EXPECT_EQ(Made(Create(R"({"run_config":{"user":"user"}})")).spec.workdir, "");
}

TEST_F(BoxCreateTest, HidesWhatIsOpaque) {
  ParsedResponse response = Create(
      R"({"proxy_config":{"rules":[{"name":"r","match_hosts":["a.example"],
            "headers":[{"name":"Authorization","type":"opaque","value":"Bearer s3cret"}]}]}})");
  const boxes::Box& box = Made(response);
  EXPECT_EQ(response.text.find("s3cret"), std::string::npos);
  EXPECT_EQ(box.spec.annotations.at("langsmith").find("s3cret"), std::string::npos);
  const json::value& header =
      response.body.at("proxy_config").at("rules").at(0).at("headers").at(0);
  EXPECT_TRUE(header.at("is_set").as_bool());
  EXPECT_EQ(Find(header, "value"), nullptr);
}

TEST_F(BoxCreateTest, ShowsMountsAndDelegation) {
  ParsedResponse response = Create(
      R"({"access_delegation":{"mode":"EXPLICIT","permissions":["runs:read"]},
          "mount_config":{"mounts":[{"id":"m","type":"git","mount_path":"/mnt/mounts/m",
            "git":{"remote_url":"https://git.example/a.git"}}]}})");
  Made(response);
  EXPECT_EQ(response.body.at("access_delegation").at("mode").as_string(), "EXPLICIT");
  EXPECT_EQ(response.body.at("mount_config").at("mounts").at(0).at("id").as_string(), "m");
}

TEST_F(BoxCreateTest, RefusesAnUnknownSnapshot) {
  for (const char* body : {R"({"snapshot_id":"7d8f2c56-31ae-4f0b-9d0e-6f3f1b7a9c11"})",
                           R"({"snapshot_name":"absent"})", R"({"snapshot":"absent:v1"})"}) {
    ParsedResponse response = Create(body);
    EXPECT_EQ(response.status, 404) << body;
    EXPECT_EQ(response.type(), "ResourceNotFound") << body;
  }
  EXPECT_TRUE(boxes_.boxes.empty());
}

TEST_F(BoxCreateTest, RefusesATakenName) {
  Made(Create(R"({"name":"one"})"));
  ParsedResponse again = Create(R"({"name":"one"})");
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.type(), "Conflict");
  EXPECT_THAT(again.message(), HasSubstr("'one'"));
  EXPECT_EQ(
      CallPath("POST", "/v2/sandboxes/boxes", R"({"name":"one"})", {{"X-Api-Key", "other"}}).status,
      201);
}

TEST_F(BoxCreateTest, NamesTheFieldThatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"name":""})", "name"},
      {R"({"name":5})", "name"},
      {R"({"name":"a b"})", "name"},
      {R"({"name":".."})", "name"},
      {R"({"name":"-a"})", "name"},
      {R"({"name":"7d8f2c56-31ae-4f0b-9d0e-6f3f1b7a9c11"})", "name"},
      {R"({"wait_for_ready":"yes"})", "wait_for_ready"},
      {R"({"timeout":0})", "timeout"},
      {R"({"timeout":-1})", "timeout"},
      {R"({"timeout":3601})", "timeout"},
      {R"({"timeout":"30"})", "timeout"},
      {R"({"idle_ttl_seconds":-60})", "idle_ttl_seconds"},
      {R"({"idle_ttl_seconds":90})", "idle_ttl_seconds"},
      {R"({"idle_ttl_seconds":"60"})", "idle_ttl_seconds"},
      {R"({"delete_after_stop_seconds":1})", "delete_after_stop_seconds"},
      {R"({"delete_after_stop_seconds":-1})", "delete_after_stop_seconds"},
      {R"({"snapshot_id":"a","snapshot_name":"b"})", "snapshot_name"},
      {R"({"snapshot_name":"a","snapshot":"b"})", "snapshot"},
      {R"({"snapshot_id":7})", "snapshot_id"},
      {R"({"labels":["a"]})", "labels"},
      {R"({"labels":{"":"a"}})", "labels"},
      {R"({"labels":{"a=b":"c"}})", "labels"},
      {R"({"tag_value_ids":"a"})", "tag_value_ids"},
      {R"({"preserve_memory_on_stop":1})", "preserve_memory_on_stop"},
      {R"({"restore_memory":true})", "restore_memory"},
      {R"({"persistent":"no"})", "persistent"},
      {R"({"persistent":0})", "persistent"},
      {R"({"persistent":false,"preserve_memory_on_stop":true})", "preserve_memory_on_stop"},
      {R"({"volumes":[{"volume":"v","mount_path":"/data"}]})", "volumes"},
      {R"({"volumes":"v"})", "volumes"},
      {R"({"proxy_config":{"access_control":{"allow_list":["a.example"],"deny_list":["b.example"]}}})",
       "proxy_config.access_control"},
      {R"({"proxy_config":[]})", "proxy_config"},
      {R"({"mem_bytes":1})", "mem_bytes"},
      {R"({"access_delegation":{"mode":"ALL"}})", "access_delegation.mode"},
  };
  for (const auto& [body, field] : cases) {
    ParsedResponse response = Create(body);
    EXPECT_EQ(response.status, 422) << body;
    EXPECT_EQ(response.field().substr(0, std::string(field).size()), field) << body;
    EXPECT_NE(response.message(), "") << body;
  }
  EXPECT_TRUE(boxes_.boxes.empty());
}

TEST_F(BoxCreateTest, RefusesABodyThatIsNone) {
  for (const char* body :
       {"", "  ", "{", "[]", "7", "null", "\"{}\"", "{}{}", "{\"a\":\"\xff\"}"}) {
    ParsedResponse response = Create(body);
    EXPECT_EQ(response.status, 400) << body;
    EXPECT_EQ(response.type(), "InvalidRequest") << body;
  }
  ParsedResponse huge = Create("{\"x\":\"" + std::string(kConfigBodyBytesMax, 'a') + "\"}");
  EXPECT_EQ(huge.status, 413);
  EXPECT_THAT(huge.message(), HasSubstr("16 MiB"));
  // What only names things needs far less.
  std::string names = "{\"x\":\"" + std::string(kBodyBytesMax, 'a') + "\"}";
  EXPECT_EQ(Call("POST", "/boxes/batch-delete", names).status, 413);
}

TEST_F(BoxCreateTest, TellsThatThereAreTooManyRulesHoweverLargeTheyAre) {
  std::string rules;
  for (int i = 0; i < 10'000; ++i)
    rules += (i == 0 ? "" : ",") + (R"({"name":"r)" + std::to_string(i)) +
             R"(","match_hosts":["a.example"],"headers":[{"name":"X-Rule","type":"plaintext",)"
             R"("value":"a value of some length"}]})";
  ASSERT_GT(rules.size(), kBodyBytesMax);
  ParsedResponse response = Create(R"({"proxy_config":{"rules":[)" + rules + "]}}");
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.field(), "proxy_config.rules");
}

TEST_F(BoxCreateTest, TellsWhyTheDomainRefused) {
  const std::tuple<ErrorCode, int, const char*> cases[] = {
      {ErrorCode::kLimitExceeded, 429, "QuotaExceeded"},
      {ErrorCode::kUnavailable, 503, "Unschedulable"},
      {ErrorCode::kInternal, 500, "InternalError"},
  };
  for (const auto& [code, status, type] : cases) {
    boxes_.failure = Error{code, "disk of /secret/place"};
    ParsedResponse response = Create("{}");
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(response.type(), type);
  }
  boxes_.failure = Error{ErrorCode::kLimitExceeded, "all are taken"};
  EXPECT_THAT(Create("{}").message(), HasSubstr("sandbox count limit"));
  boxes_.failure = Error{ErrorCode::kInternal, "disk of /secret/place"};
  ParsedResponse inside = Create("{}");
  EXPECT_EQ(inside.text.find("/secret"), std::string::npos);
  EXPECT_NE(FindString(inside.body.at("detail"), "error_id"), "");
}

// Creates only after a while.
class SlowBoxes : public boxes::FakeBoxes {
 public:
  Task<Result<boxes::BoxPtr>> Create(boxes::CreateBox request) override {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    timer.expires_after(std::chrono::milliseconds(20));
    co_await timer.async_wait(asio::use_awaitable);
    co_return co_await FakeBoxes::Create(std::move(request));
  }
};

TEST(PatienceTest, RemovesABoxThatComesTooLate) {
  SlowBoxes boxes;
  boxes::CreateBox request;
  request.account_id = "mine";
  request.template_name = "base";
  auto made = RunToEnd(CreateWithTimeout(boxes, request, std::chrono::milliseconds(1)));
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().message, kCreateTimedOut);
  EXPECT_TRUE(boxes.boxes.empty());
}

TEST(PatienceTest, GivesWhatIsMadeInTime) {
  SlowBoxes boxes;
  boxes::CreateBox request;
  request.account_id = "mine";
  request.template_name = "base";
  auto made = RunToEnd(CreateWithTimeout(boxes, request, std::chrono::hours(1)));
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(boxes.boxes.size(), 1u);
  request.template_name = "absent";
  made = RunToEnd(CreateWithTimeout(boxes, request, std::chrono::hours(1)));
  EXPECT_EQ(made.error().code, ErrorCode::kNotFound);
}

TEST_F(BoxCreateTest, AnswersATimeoutWhenItIsNotReadyInTime) {
  SlowBoxes slow;
  Context context{.boxes = slow,
                  .accounts = accounts_,
                  .sealer = server_sealer_,
                  .account_secrets = account_secrets_,
                  .registries = *registries_,
                  .snapshots = *snapshots_,
                  .services = *services_};
  http::Router router = Routes(context, Lookup);
  auto match = router.Find("POST", "/v2/sandboxes/boxes");
  ASSERT_NE(match.handler, nullptr);
  http::Request request =
      MakeRequest("POST", "/v2/sandboxes/boxes", R"({"name":"late","timeout":0.001})");
  request.headers.Add("X-Api-Key", "key");
  ParsedResponse response = Read(RunToEnd((*match.handler)(request)));
  EXPECT_EQ(response.status, 408);
  EXPECT_EQ(response.type(), "Timeout");
  EXPECT_THAT(response.message(), HasSubstr("provisioning"));
  EXPECT_TRUE(slow.boxes.empty());
}

}  // namespace
}  // namespace viv::langsmith
