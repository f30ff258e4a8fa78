#include "base/timestamp.h"
#include "dialects/e2b/test_support.h"

namespace viv::e2b {
namespace {

using boxes::BoxState;
using ::testing::HasSubstr;

class SandboxLifeTest : public E2bTest {
 protected:
  std::string PutIn(BoxState state) {
    boxes::Box box = NewBox();
    box.state = state;
    return Put(std::move(box));
  }
  std::int64_t SecondsLeft(const std::string& id) {
    return (At(id).ends_at_us - boxes_.now_us) / 1'000'000;
  }
};

TEST_F(SandboxLifeTest, ShowsDetails) {
  boxes::Box box = NewBox();
  box.spec.network.egress.deny = {"8.8.8.8"};
  box.spec.network.public_traffic = false;
  box.spec.on_timeout = boxes::OnTimeout::kStop;
  box.spec.wake = boxes::WakeOnTraffic::kPaused;
  std::string id = Put(std::move(box));
  ParsedResponse response = Call("GET", "/sandboxes/" + id);
  ASSERT_EQ(response.status, 200);
  EXPECT_EQ(FindString(response.body, "envdAccessToken"), "agent-" + id);
  EXPECT_TRUE(response.body.at("allowInternetAccess").is_null());
  EXPECT_EQ(WriteJson(response.body.at("network")),
            R"({"allowPublicTraffic":false,"denyOut":["8.8.8.8"]})");
  EXPECT_EQ(WriteJson(response.body.at("lifecycle")), R"({"onTimeout":"pause","autoResume":true})");
}

TEST_F(SandboxLifeTest, ShowsThatTheInternetIsOff) {
  boxes::Box box = NewBox();
  box.spec.network.egress.internet = false;
  ParsedResponse response = Call("GET", "/sandboxes/" + Put(std::move(box)));
  EXPECT_FALSE(response.body.at("allowInternetAccess").as_bool());
  EXPECT_EQ(Find(response.body, "network"), nullptr);
}

TEST_F(SandboxLifeTest, TakesAnIdWithTheClientBehind) {
  std::string id = Put();
  EXPECT_EQ(Call("GET", "/sandboxes/" + id + "-6532622b").status, 200);
  EXPECT_EQ(Call("DELETE", "/sandboxes/" + id + "-6532622b").status, 204);
}

TEST_F(SandboxLifeTest, WhatIsNotThereIsToldInTheVendorsWordsEverywhere) {
  std::string theirs = Put();
  boxes_.Edit(theirs, [](boxes::Box& box) { box.account_id = "theirs"; });
  struct Attempt {
    const char* method;
    const char* path;
    const char* body;
  };
  for (const Attempt& attempt :
       {Attempt{"GET", "", ""}, Attempt{"DELETE", "", ""}, Attempt{"POST", "/pause", "{}"},
        Attempt{"POST", "/connect", R"({"timeout":1})"}, Attempt{"POST", "/resume", "{}"},
        Attempt{"POST", "/timeout", R"({"timeout":1})"}, Attempt{"POST", "/refreshes", "{}"},
        Attempt{"PUT", "/network", "{}"}, Attempt{"POST", "/fork", "{}"},
        Attempt{"POST", "/snapshots", "{}"}, Attempt{"GET", "/metrics", ""},
        Attempt{"GET", "/logs", ""}}) {
    for (const std::string& id : {std::string("inone"), theirs}) {
      ParsedResponse response =
          Call(attempt.method, "/sandboxes/" + id + attempt.path, attempt.body);
      EXPECT_EQ(response.status, 404) << attempt.method << attempt.path;
      EXPECT_EQ(response.message(),
                "Sandbox \"" + id + "\" doesn't exist or you don't have access to it");
    }
  }
  EXPECT_EQ(Call("POST", "/v2/sandboxes/inone/connect").status, 404);
  EXPECT_EQ(Call("GET", "/v2/sandboxes/inone/logs").status, 404);
}

TEST_F(SandboxLifeTest, AnswersAnyBytesForAnIdWithReadableJson) {
  ParsedResponse response = Call("GET", "/sandboxes/%FF%22%00" + std::string(500, 'x'));
  EXPECT_EQ(response.status, 404);
  EXPECT_TRUE(response.body.is_object());
}

TEST_F(SandboxLifeTest, KillsPausedOnesToo) {
  for (BoxState state : {BoxState::kRunning, BoxState::kPaused, BoxState::kStopped}) {
    std::string id = PutIn(state);
    ParsedResponse response = Call("DELETE", "/sandboxes/" + id);
    EXPECT_EQ(response.status, 204);
    EXPECT_EQ(response.text, "");
    EXPECT_EQ(Call("DELETE", "/sandboxes/" + id).status, 404);
  }
}

TEST_F(SandboxLifeTest, PausesWithAndWithoutMemory) {
  std::string a = Put(), b = Put(), c = Put();
  EXPECT_EQ(Call("POST", "/sandboxes/" + a + "/pause").status, 204);
  EXPECT_EQ(Call("POST", "/sandboxes/" + b + "/pause", R"({"memory":false})").status, 204);
  EXPECT_EQ(Call("POST", "/sandboxes/" + c + "/pause", R"({"memory":1})").status, 400);
  EXPECT_EQ(At(a).state, BoxState::kPaused);
  EXPECT_EQ(At(b).state, BoxState::kStopped);
  EXPECT_EQ(At(c).state, BoxState::kRunning);
}

TEST_F(SandboxLifeTest, ASecondPauseIsAConflict) {
  std::string id = PutIn(BoxState::kPaused);
  ParsedResponse response = Call("POST", "/sandboxes/" + id + "/pause", "{}");
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(response.message(), "Error pausing sandbox - sandbox '" + id + "' is already paused");
}

TEST_F(SandboxLifeTest, ConnectExtendsWhatRuns) {
  std::string id = Put();
  EXPECT_EQ(Call("POST", "/v2/sandboxes/" + id + "/connect", R"({"timeout":10})").status, 200);
  EXPECT_EQ(SecondsLeft(id), 300);
  EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/connect", R"({"timeout":1000})").status, 200);
  EXPECT_EQ(SecondsLeft(id), 1000);
}

TEST_F(SandboxLifeTest, ConnectWakesWhatSleeps) {
  for (const char* body : {"", "{}"}) {
    std::string id = PutIn(BoxState::kPaused);
    ParsedResponse response = Call("POST", "/v2/sandboxes/" + id + "/connect", body);
    EXPECT_EQ(response.status, 201);
    EXPECT_EQ(FindString(response.body, "sandboxID"), id);
    EXPECT_EQ(SecondsLeft(id), 300);
    EXPECT_EQ(At(id).state, BoxState::kRunning);
  }
}

TEST_F(SandboxLifeTest, TheOlderConnectNeedsATimeout) {
  std::string id = Put();
  EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/connect", "{}").status, 400);
  EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/connect").status, 400);
}

TEST_F(SandboxLifeTest, ConnectRefusesBadTimeouts) {
  std::string id = Put();
  for (const char* body : {R"({"timeout":-1})", R"({"timeout":0})", R"({"timeout":86401})",
                           R"({"timeout":"1"})", R"({"memory":"no"})", "[]", "{"}) {
    EXPECT_EQ(Call("POST", "/v2/sandboxes/" + id + "/connect", body).status, 400) << body;
    EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/connect", body).status, 400) << body;
    EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/resume", body).status, 400) << body;
  }
}

TEST_F(SandboxLifeTest, ConnectStartsAnewWithoutTheMemoryWhenAskedTo) {
  for (BoxState state : {BoxState::kPaused, BoxState::kStopped}) {
    std::string id = PutIn(state);
    std::string body = R"({"memory":false,"timeout":60})";
    EXPECT_EQ(Call("POST", "/v2/sandboxes/" + id + "/connect", body).status, 201);
    EXPECT_EQ(At(id).state, BoxState::kRunning);
    EXPECT_EQ(SecondsLeft(id), 60);
    EXPECT_EQ(boxes_.memory_losses, state == BoxState::kPaused ? 1 : 0);
    boxes_.memory_losses = 0;
    EXPECT_EQ(Call("POST", "/v2/sandboxes/" + id + "/connect", body).status, 200);
    EXPECT_EQ(boxes_.memory_losses, 0) << "what runs keeps running";
  }
}

TEST_F(SandboxLifeTest, ResumeWakesForFifteenSeconds) {
  std::string id = PutIn(BoxState::kPaused);
  EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/resume").status, 201);
  EXPECT_EQ(SecondsLeft(id), 15);
  ParsedResponse again = Call("POST", "/sandboxes/" + id + "/resume");
  EXPECT_EQ(again.status, 409);
}

TEST_F(SandboxLifeTest, ResumeCannotChangeWhatHappensAtTheEnd) {
  std::string id = PutIn(BoxState::kPaused);
  EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/resume", R"({"autoPause":true})").status, 400);
  EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/resume", R"({"autoPause":false})").status, 201);
}

TEST_F(SandboxLifeTest, TimeoutSetsTheEndAndMayShorten) {
  std::string id = Put();
  EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/timeout", R"({"timeout":10})").status, 204);
  EXPECT_EQ(SecondsLeft(id), 10);
  EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/timeout", R"({"timeout":86400})").status, 204);
  EXPECT_EQ(SecondsLeft(id), 86'400);
  EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/timeout", R"({"timeout":-5})").status, 204);
  EXPECT_EQ(SecondsLeft(id), 0);
}

TEST_F(SandboxLifeTest, TimeoutRefusesBadBodies) {
  std::string id = Put();
  for (const char* body :
       {"", "{}", R"({"timeout":86401})", R"({"timeout":"1"})", R"({"timeout":1.5})", "x"}) {
    EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/timeout", body).status, 400) << body;
  }
}

TEST_F(SandboxLifeTest, RefreshOnlyExtends) {
  std::string id = Put();
  EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/refreshes").status, 204);
  EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/refreshes", R"({"duration":10})").status, 204);
  EXPECT_EQ(SecondsLeft(id), 300);
  EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/refreshes", R"({"duration":3600})").status, 204);
  EXPECT_EQ(SecondsLeft(id), 3600);
  for (const char* body : {R"({"duration":3601})", R"({"duration":-1})", R"({"duration":"1"})"})
    EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/refreshes", body).status, 400) << body;
}

TEST_F(SandboxLifeTest, ANetworkUpdateReplacesEgressAndKeepsIngress) {
  boxes::Box box = NewBox();
  box.spec.network.egress.allow = {"1.1.1.1"};
  box.spec.network.public_traffic = false;
  box.spec.network.tls_ports = {8443};
  std::string id = Put(std::move(box));
  ASSERT_EQ(Call("PUT", "/sandboxes/" + id + "/network", R"({"denyOut":["8.8.8.8"]})").status, 204);
  const boxes::BoxNetwork& network = At(id).spec.network;
  EXPECT_TRUE(network.egress.allow.empty());
  EXPECT_EQ(network.egress.deny, (std::vector<std::string>{"8.8.8.8"}));
  EXPECT_FALSE(network.public_traffic);
  EXPECT_EQ(network.tls_ports, (std::vector<std::uint16_t>{8443}));
  ASSERT_EQ(
      Call("PUT", "/sandboxes/" + id + "/network", R"({"allow_internet_access":false})").status,
      204);
  EXPECT_FALSE(At(id).spec.network.egress.internet);
  EXPECT_TRUE(At(id).spec.network.egress.deny.empty());
}

TEST_F(SandboxLifeTest, ANetworkUpdateRefusesMistakes) {
  std::string id = Put();
  for (const char* body :
       {"", R"({"denyOut":["example.com"]})", R"({"allowOut":["example.com"]})",
        R"({"allowOut":["not a host"]})", R"({"rules":{"a.com":{}}})",
        R"({"egressProxy":{"address":"a"}})", R"({"allow_internet_access":1})"}) {
    EXPECT_EQ(Call("PUT", "/sandboxes/" + id + "/network", body).status, 400) << body;
  }
  boxes_.failure = Error{ErrorCode::kConflict, "it does not run"};
  EXPECT_EQ(Call("PUT", "/sandboxes/" + id + "/network", "{}").status, 409);
}

TEST_F(SandboxLifeTest, ForkAnswersEachCopyOnItsOwn) {
  std::string id = Put();
  boxes_.failure = Error{ErrorCode::kLimitExceeded, "no room"};
  ParsedResponse response =
      Call("POST", "/sandboxes/" + id + "/fork", R"({"count":3,"timeout":60})");
  ASSERT_EQ(response.status, 201) << response.text;
  ASSERT_EQ(response.body.as_array().size(), 3u);
  std::string copy(FindString(response.body.at(0).at("sandbox"), "sandboxID"));
  EXPECT_NE(copy, id);
  EXPECT_EQ(SecondsLeft(copy), 60);
  EXPECT_EQ(response.body.at(2).at("error").at("code").as_int64(), 429);
  EXPECT_EQ(SecondsLeft(id), 300);
}

TEST_F(SandboxLifeTest, ForkMakesOneByDefaultAndAHundredAtMost) {
  std::string id = Put();
  EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/fork").body.as_array().size(), 1u);
  EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/fork", R"({"count":100})").status, 201);
  for (const char* body : {R"({"count":0})", R"({"count":101})", R"({"count":"2"})",
                           R"({"timeout":-1})", R"({"timeout":0})", R"({"timeout":86401})"}) {
    EXPECT_EQ(Call("POST", "/sandboxes/" + id + "/fork", body).status, 400) << body;
  }
}

}  // namespace
}  // namespace viv::e2b
