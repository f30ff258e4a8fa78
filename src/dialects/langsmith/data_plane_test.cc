#include "dialects/langsmith/test_support.h"

namespace viv::langsmith {
namespace {

using boxes::BoxState;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class DataPlaneTest : public LangsmithTest {
 protected:
  std::string PutAsleep(BoxState state, boxes::WakeOnTraffic wake) {
    std::string id = PutNamed("asleep", state);
    boxes_.Edit(id, [wake](boxes::Box& box) { box.spec.wake = wake; });
    return id;
  }
  static bool Streams(std::string path) { return IsStreamed(MakeRequest("POST", std::move(path))); }
};

TEST_F(DataPlaneTest, EveryOperationReachesTheAgentUnderBothPrefixes) {
  std::string id = PutNamed("one");
  const std::vector<std::pair<std::string, std::string>> operations = {
      {"POST", "/execute"},
      {"GET", "/execute/ws"},
      {"POST", "/execute/stream/start"},
      {"POST", "/execute/stream/resume"},
      {"POST", "/upload?path=%2Ftmp%2Fa%20b"},
      {"GET", "/download?path=/x"},
      {"HEAD", "/download?path=/x"},
      {"POST", "/glob"},
      {"POST", "/grep"},
      {"GET", "/tunnel"}};
  for (std::string prefix : {"/v2/sandboxes/", "/api/v2/sandboxes/"}) {
    for (const auto& [method, operation] : operations) {
      boxes_.dialled.clear();
      relayed_.clear();
      EXPECT_EQ(CallPath(method, prefix + "one" + operation).status, 200) << operation;
      EXPECT_THAT(boxes_.dialled, ElementsAre(Pair(id, 0)));
      EXPECT_EQ(relayed_.at(0).target, "/dataplane" + operation);
      EXPECT_EQ(relayed_.at(0).method, method);
    }
  }
}

TEST_F(DataPlaneTest, ABoxIsKnownByNameUuidAndId) {
  std::string id = PutNamed("one");
  for (std::string ref : {std::string("one"), boxes::UuidOfBox(id), id})
    EXPECT_EQ(Call("POST", "/" + ref + "/glob").status, 200) << ref;
  EXPECT_EQ(boxes_.dialled.size(), 3u);
}

TEST_F(DataPlaneTest, TheAgentGetsItsTokenAndNothingOfTheClients) {
  std::string id = PutNamed("one");
  Call("POST", "/one/execute", "{}",
       {{"X-Api-Key", "key"},
        {"X-Access-Token", "forged"},
        {"x-access-token", "forged too"},
        {"Cookie", "a=b"},
        {"X-Service-Key", "s"},
        {"X-Tenant-Id", "t"},
        {"X-Sandbox-Port", "80"}});
  const Relayed& sent = relayed_.at(0);
  EXPECT_EQ(sent.headers.Get("x-access-token"), boxes_.AgentToken(id));
  int tokens = 0;
  for (const auto& [name, value] : sent.headers)
    tokens += EqualsIgnoreCase(name, "x-access-token") ? 1 : 0;
  EXPECT_EQ(tokens, 1);
  for (const char* name : {"X-Api-Key", "Authorization", "Cookie", "X-Service-Key", "X-Tenant-Id"})
    EXPECT_THAT(sent.options.dropped, Contains(name));
  EXPECT_EQ(sent.headers.Get("x-sandbox-port"), "80");
}

TEST_F(DataPlaneTest, WithoutAKeyOrForAnotherAccountThereIsNothing) {
  PutNamed("one");
  EXPECT_EQ(CallOpenly("POST", "/v2/sandboxes/one/execute").status, 401);
  EXPECT_EQ(Call("POST", "/one/execute", "", {{"X-Api-Key", "wrong"}}).status, 401);
  ParsedResponse foreign = Call("POST", "/one/execute", "", {{"X-Api-Key", "other"}});
  EXPECT_EQ(foreign.status, 404);
  EXPECT_EQ(foreign.type(), "ResourceNotFound");
  ParsedResponse absent = Call("GET", "/none/download?path=/x");
  EXPECT_EQ(absent.status, 404);
  EXPECT_EQ(absent.type(), "ResourceNotFound");
  EXPECT_THAT(boxes_.dialled, IsEmpty());
}

TEST_F(DataPlaneTest, AStoppedBoxIsWokenWhereItMayBe) {
  std::string id = PutAsleep(BoxState::kStopped, boxes::WakeOnTraffic::kAlways);
  EXPECT_EQ(Call("POST", "/asleep/execute").status, 200);
  EXPECT_THAT(boxes_.dialled, ElementsAre(Pair(id, 0)));
}

TEST_F(DataPlaneTest, ABoxThatRequestsDoNotWakeIsNotReady) {
  PutAsleep(BoxState::kPaused, boxes::WakeOnTraffic::kNever);
  ParsedResponse paused = Call("POST", "/asleep/execute");
  EXPECT_EQ(paused.status, 400);
  EXPECT_EQ(paused.type(), "NotReady");
  boxes_.boxes.clear();
  PutAsleep(BoxState::kStopped, boxes::WakeOnTraffic::kPaused);
  EXPECT_EQ(Call("POST", "/asleep/execute").type(), "NotReady");
  EXPECT_THAT(boxes_.dialled, IsEmpty());
}

TEST_F(DataPlaneTest, AFailedBoxSaysWhy) {
  std::string id = PutNamed("broken", BoxState::kFailed);
  boxes_.Edit(id, [](boxes::Box& box) { box.message = "the disk is full"; });
  ParsedResponse response = Call("POST", "/broken/execute");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.type(), "NotReady");
  EXPECT_THAT(response.message(), HasSubstr("the disk is full"));
  EXPECT_THAT(boxes_.dialled, IsEmpty());
}

TEST_F(DataPlaneTest, AnUpgradeIsAskedToComeBackWhileTheBoxStarts) {
  PutNamed("young", BoxState::kStarting);
  ParsedResponse response =
      Call("GET", "/young/execute/ws", "",
           {{"X-Api-Key", "key"}, {"Connection", "Upgrade"}, {"Upgrade", "websocket"}});
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.headers.Get("retry-after"), "1");
  EXPECT_THAT(boxes_.dialled, IsEmpty());
  EXPECT_EQ(Call("POST", "/young/execute").status, 200) << "others wait for it";
}

TEST_F(DataPlaneTest, WhatDialSaysIsToldApart) {
  PutNamed("one");
  boxes_.dial_failure = Error{ErrorCode::kUnavailable, "refused"};
  ParsedResponse silent = Call("POST", "/one/execute");
  EXPECT_EQ(silent.status, 502);
  EXPECT_EQ(silent.type(), "ConnectionError");
  boxes_.dial_failure = Error{ErrorCode::kConflict, "it was stopped just now"};
  ParsedResponse stopped = Call("POST", "/one/execute");
  EXPECT_EQ(stopped.status, 400);
  EXPECT_EQ(stopped.type(), "NotReady");
  boxes_.dial_failure = Error{ErrorCode::kNotFound, "gone"};
  EXPECT_EQ(Call("POST", "/one/execute").status, 404);
}

TEST_F(DataPlaneTest, AnAgentThatGivesNoAnswerIsAConnectionError) {
  PutNamed("one");
  relay_failure_ = Error{ErrorCode::kUnavailable, "closed"};
  ParsedResponse response = Call("POST", "/one/execute");
  EXPECT_EQ(response.status, 502);
  EXPECT_EQ(response.type(), "ConnectionError");
  relay_failure_ = Error{ErrorCode::kInvalidArgument, "broken chunk"};
  EXPECT_EQ(Call("POST", "/one/upload?path=/a").status, 400);
}

TEST_F(DataPlaneTest, AGuestSetsNoCookiesOnOurOrigin) {
  PutNamed("one");
  relay_response_.headers.Add("Set-Cookie", "a=b");
  relay_response_.headers.Add("Clear-Site-Data", "*");
  relay_response_.headers.Add("ETag", "\"x\"");
  ParsedResponse response = Call("GET", "/one/download?path=/a");
  EXPECT_FALSE(response.headers.Has("set-cookie"));
  EXPECT_FALSE(response.headers.Has("clear-site-data"));
  EXPECT_EQ(response.headers.Get("etag"), "\"x\"");
}

TEST_F(DataPlaneTest, BodiesStreamOnTheDataPlaneAlone) {
  for (std::string prefix : {"", "/langsmith"}) {
    for (std::string base : {"/v2/sandboxes", "/api/v2/sandboxes"}) {
      EXPECT_TRUE(Streams(prefix + base + "/one/upload"));
      EXPECT_TRUE(Streams(prefix + base + "/one/upload/"));
      EXPECT_TRUE(Streams(prefix + base + "/a%20b/execute/stream/start"));
      EXPECT_TRUE(Streams(prefix + base + "/one/execute/ws"));
      EXPECT_FALSE(Streams(prefix + base));
      EXPECT_FALSE(Streams(prefix + base + "/"));
      EXPECT_FALSE(Streams(prefix + base + "/boxes"));
      EXPECT_FALSE(Streams(prefix + base + "/boxes/upload")) << "a box called so";
      EXPECT_FALSE(Streams(prefix + base + "/snapshots/download"));
      EXPECT_FALSE(Streams(prefix + base + "/one/upload/more"));
      EXPECT_FALSE(Streams(prefix + base + "/one/connect"));
    }
  }
  EXPECT_FALSE(Streams("/upload"));
  EXPECT_FALSE(Streams("/v2/sandboxesx/one/upload"));
  EXPECT_FALSE(Streams("/other/v2/sandboxes/one/upload"));
  EXPECT_FALSE(Streams("//v2/sandboxes/one/upload"));
  EXPECT_FALSE(Streams(""));
}

}  // namespace
}  // namespace viv::langsmith
