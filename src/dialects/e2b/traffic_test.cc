#include "dialects/e2b/traffic.h"

#include "base/ids.h"
#include "dialects/e2b/destination.h"
#include "dialects/e2b/signature.h"
#include "dialects/e2b/test_support.h"

namespace viv::e2b {
namespace {

using boxes::BoxState;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

class TrafficTest : public E2bTest {
 protected:
  ParsedResponse Send(std::string method, std::string target, HeaderList headers) {
    http::Request request = MakeRequest(std::move(method), std::move(target));
    for (auto& [name, value] : headers) request.headers.Add(name, value);
    EXPECT_TRUE(IsTraffic(request));
    return Read(RunHandler(Traffic(context_), request));
  }
  HeaderList ToBox(const std::string& id, int port, HeaderList more = {}) {
    HeaderList headers = {{"Host", "127.0.0.1:7373"},
                          {"E2b-Sandbox-Id", id},
                          {"E2b-Sandbox-Port", std::to_string(port)}};
    headers.insert(headers.end(), more.begin(), more.end());
    return headers;
  }
  std::string PutSleeping(bool wakes, BoxState state = BoxState::kPaused) {
    boxes::Box box = NewBox();
    box.state = state;
    if (wakes) box.spec.wake = boxes::WakeOnTraffic::kPaused;
    return Put(std::move(box));
  }
  std::string SignedTarget(const std::string& id, std::string operation, std::string expiration) {
    FileLink link{.path = "a b.txt", .operation = std::move(operation), .expiration = expiration};
    std::string signature = Sign(link, boxes_.AgentToken(id));
    std::string target = "/files?path=a%20b.txt&signature=";
    for (char c : signature) {
      if (c == '+') {
        target += "%2B";
      } else {
        target += c;
      }
    }
    return expiration.empty() ? target : target + "&signature_expiration=" + expiration;
  }
  static std::string NotFoundBody(const std::string& id) {
    return R"({"sandboxId":")" + id + R"(","message":"The sandbox was not found","code":502})";
  }
};

TEST_F(TrafficTest, IsKnownByNameHeaderOrSignature) {
  auto is_traffic = [](std::string host, std::string id, std::string target) {
    http::Request request = MakeRequest("GET", std::move(target));
    request.headers.Add("Host", std::move(host));
    if (!id.empty()) request.headers.Add("E2b-Sandbox-Id", std::move(id));
    return IsTraffic(request);
  };
  EXPECT_TRUE(is_traffic("localhost:7373", "i1", "/sandboxes"));
  EXPECT_TRUE(is_traffic("49983-i00000000000000000001.sbx.example:8443", "", "/"));
  EXPECT_TRUE(is_traffic("3000-I00000000000000000001.sbx.example", "", "/"));
  EXPECT_TRUE(is_traffic("localhost", "", "/files?path=a&signature=v1_x"));
  EXPECT_TRUE(is_traffic("localhost", "", "/e2b/files?path=a&signature=v1_x"));
  EXPECT_FALSE(is_traffic("localhost:7373", "", "/v2/sandboxes"));
  EXPECT_FALSE(is_traffic("localhost", "", "/files?path=a"));
  EXPECT_FALSE(is_traffic("localhost", "", "/filesystem?signature=v1_x"));
  EXPECT_FALSE(is_traffic("10-main.example.com", "", "/"));
  EXPECT_FALSE(is_traffic("api.example.com", "", "/"));
  EXPECT_FALSE(is_traffic("99999-i00000000000000000001.example.com", "", "/"));
  EXPECT_FALSE(is_traffic("", "", "/"));
}

TEST_F(TrafficTest, TheNameWinsOverTheHeader) {
  http::Request request = MakeRequest("GET", "/");
  request.headers.Add("Host", "3000-i00000000000000000001.sbx.example");
  request.headers.Add("E2b-Sandbox-Id", "i00000000000000000002");
  auto destination = DestinationOf(request);
  ASSERT_TRUE(destination && *destination);
  EXPECT_EQ((*destination)->box_id, "i00000000000000000001");
  EXPECT_EQ((*destination)->port, 3000);
}

TEST_F(TrafficTest, ReachesTheAgentByHeader) {
  std::string id = Put();
  ParsedResponse response = Send("POST", "/process.Process/List", ToBox(id, 49983));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.text, "from the box");
  EXPECT_THAT(boxes_.dialled, ElementsAre(Pair(id, 0)));
  EXPECT_EQ(relayed_.at(0).options.host, "");
  EXPECT_EQ(response.headers.Get("access-control-allow-origin"), "*");
  EXPECT_THAT(std::string(response.headers.Get("access-control-expose-headers")),
              HasSubstr("Connect-"));
}

TEST_F(TrafficTest, ReachesTheAgentWithoutAPortAndWithTheClientInTheId) {
  std::string id = Put();
  EXPECT_EQ(Send("GET", "/health", {{"E2b-Sandbox-Id", id + "-6532622b"}}).status, 200);
  EXPECT_THAT(boxes_.dialled, ElementsAre(Pair(id, 0)));
}

TEST_F(TrafficTest, ReachesAPortByName) {
  std::string id = Put();
  EXPECT_EQ(Send("GET", "/index.html?x=1", {{"Host", "3000-" + id + ".sbx.localhost:8443"}}).status,
            200);
  EXPECT_THAT(boxes_.dialled, ElementsAre(Pair(id, 3000)));
  EXPECT_EQ(relayed_.at(0).target, "/index.html?x=1");
  EXPECT_EQ(relayed_.at(0).options.transport, http::RelayOptions::Transport::kPlain);
}

TEST_F(TrafficTest, RefusesAPortThatIsNone) {
  std::string id = Put();
  for (const char* port : {"0", "65536", "-1", "x", "80 81"}) {
    ParsedResponse response =
        Send("GET", "/", {{"E2b-Sandbox-Id", id}, {"E2b-Sandbox-Port", port}});
    EXPECT_EQ(response.status, 400) << port;
  }
  EXPECT_THAT(boxes_.dialled, IsEmpty());
}

TEST_F(TrafficTest, TakesTheDialectsPrefixOffWhenRoutedByHeader) {
  std::string id = Put();
  Send("POST", "/e2b/process.Process/List?a=1", ToBox(id, 49983));
  EXPECT_EQ(relayed_.at(0).target, "/process.Process/List?a=1");
  Send("POST", "/e2bx", ToBox(id, 49999));
  EXPECT_EQ(relayed_.at(1).target, "/e2bx");
  Send("GET", "/e2b/page", {{"Host", "3000-" + id + ".sbx.localhost"}});
  EXPECT_EQ(relayed_.at(2).target, "/e2b/page");
}

TEST_F(TrafficTest, KeepsTheServersOwnPathsInside) {
  std::string id = Put();
  for (const char* path : {"/init",
                           "/init/",
                           "//init",
                           "/./init",
                           "/%69nit",
                           "/INIT",
                           "/x/../init",
                           "/../init",
                           "/freeze",
                           "/unfreeze",
                           "/collapse",
                           "/fsfreeze",
                           "/fsthaw",
                           "/logs",
                           "/init?x=1",
                           "/e2b/init",
                           "/init/x",
                           "/%zz",
                           "/activity",
                           "/dataplane/execute",
                           "/dataplane/download?path=/etc/shadow",
                           "/e2b//dataplane/upload",
                           "/%64ataplane/glob",
                           "/DataPlane/grep"}) {
    ParsedResponse response = Send("POST", path, ToBox(id, 49983));
    EXPECT_EQ(response.status, 404) << path;
  }
  EXPECT_THAT(boxes_.dialled, IsEmpty());
  EXPECT_EQ(Send("POST", "/init", ToBox(id, 3000)).status, 200) << "another port's paths are free";
}

TEST_F(TrafficTest, WhatIsGoneOrPausedIsNotFound) {
  ParsedResponse gone = Send("GET", "/health", ToBox("igone", 49983));
  EXPECT_EQ(gone.status, 502);
  EXPECT_EQ(gone.text, NotFoundBody("igone"));
  EXPECT_EQ(gone.headers.Get("access-control-allow-origin"), "*");
  for (BoxState state : {BoxState::kPaused, BoxState::kStopped}) {
    std::string id = PutSleeping(false, state);
    EXPECT_EQ(Send("GET", "/health", ToBox(id, 49983)).text, NotFoundBody(id));
    EXPECT_EQ(Send("GET", "/", ToBox(id, 3000)).text, NotFoundBody(id));
  }
  EXPECT_THAT(boxes_.dialled, IsEmpty());
}

TEST_F(TrafficTest, AClosedPortIsToldFromAMissingBox) {
  std::string id = Put();
  boxes_.dial_failure = Error{ErrorCode::kUnavailable, "refused"};
  ParsedResponse response = Send("GET", "/", ToBox(id, 3000));
  EXPECT_EQ(response.status, 502);
  EXPECT_EQ(response.text,
            R"({"message":"The sandbox is running but port is not open","sandboxId":")" + id +
                R"(","port":3000,"code":502})");
  EXPECT_EQ(Send("GET", "/health", ToBox(id, 49983)).text, NotFoundBody(id));
  boxes_.dial_failure = Error{ErrorCode::kConflict, "it was paused just now"};
  EXPECT_EQ(Send("GET", "/", ToBox(id, 3000)).text, NotFoundBody(id));
}

TEST_F(TrafficTest, ABoxThatGivesNoAnswerIs502) {
  std::string id = Put();
  relay_failure_ = Error{ErrorCode::kUnavailable, "closed"};
  EXPECT_EQ(Send("GET", "/", ToBox(id, 3000)).status, 502);
  EXPECT_EQ(Send("GET", "/health", ToBox(id, 49983)).text, NotFoundBody(id));
}

TEST_F(TrafficTest, PeopleGetAPage) {
  HeaderList browser = {{"User-Agent", "Mozilla/5.0 (X11)"}, {"Accept", "text/html"}};
  std::string name = "3000-i99999999999999999999.sbx.localhost";
  HeaderList headers = browser;
  headers.push_back({"Host", name});
  ParsedResponse page = Send("GET", "/", headers);
  EXPECT_EQ(page.status, 502);
  EXPECT_THAT(page.text, HasSubstr("<!doctype html>"));
  headers.push_back({"Sec-Fetch-Mode", "cors"});
  EXPECT_TRUE(Send("GET", "/", headers).body.is_object());
  HeaderList json = {{"User-Agent", "Mozilla/5.0"}, {"Accept", "application/json"}, {"Host", name}};
  EXPECT_TRUE(Send("GET", "/", json).body.is_object());
}

TEST_F(TrafficTest, APageShowsNoMarkupOfARequest) {
  ParsedResponse page = Send(
      "GET", "/", {{"User-Agent", "Mozilla/5.0"}, {"E2b-Sandbox-Id", "<script>alert(1)</script>"}});
  EXPECT_EQ(page.text.find("<script>"), std::string::npos);
}

TEST_F(TrafficTest, PrivatePortsNeedTheToken) {
  boxes::Box box = NewBox();
  box.spec.network.public_traffic = false;
  std::string id = Put(std::move(box));
  ParsedResponse missing = Send("GET", "/", ToBox(id, 3000));
  EXPECT_EQ(missing.status, 403);
  EXPECT_EQ(FindString(missing.body, "sandboxId"), id);
  EXPECT_EQ(FindString(missing.body, "message"),
            "Sandbox is secured with traffic access token. Token header "
            "'e2b-traffic-access-token' is missing");
  ParsedResponse wrong = Send("GET", "/", ToBox(id, 3000, {{"E2B-Traffic-Access-Token", "no"}}));
  EXPECT_EQ(wrong.status, 403);
  EXPECT_EQ(FindString(wrong.body, "message"),
            "Sandbox is secured with traffic access token. Provided token in header "
            "'e2b-traffic-access-token' is invalid");
  EXPECT_THAT(boxes_.dialled, IsEmpty());
  ParsedResponse right =
      Send("GET", "/", ToBox(id, 3000, {{"E2B-Traffic-Access-Token", boxes_.TrafficToken(id)}}));
  EXPECT_EQ(right.status, 200);
  EXPECT_THAT(relayed_.at(0).options.dropped, ElementsAre("e2b-traffic-access-token"));
  EXPECT_EQ(Send("GET", "/health", ToBox(id, 49983)).status, 200) << "the agent has its own token";
}

TEST_F(TrafficTest, MasksTheHostAndSpeaksTlsWhereAskedTo) {
  boxes::Box box = NewBox();
  box.spec.network.mask_request_host = "localhost:${PORT}";
  box.spec.network.tls_ports = {8443};
  std::string id = Put(std::move(box));
  Send("GET", "/", ToBox(id, 8443));
  Send("GET", "/", ToBox(id, 3000));
  Send("GET", "/health", ToBox(id, 49983));
  EXPECT_EQ(relayed_.at(0).options.host, "localhost:8443");
  EXPECT_EQ(relayed_.at(0).options.transport, http::RelayOptions::Transport::kTls);
  EXPECT_EQ(relayed_.at(1).options.host, "localhost:3000");
  EXPECT_EQ(relayed_.at(1).options.transport, http::RelayOptions::Transport::kPlain);
  EXPECT_EQ(relayed_.at(2).options.host, "") << "the agent's Host stays";
}

TEST_F(TrafficTest, ASleepingBoxIsWokenForItsOwnTokenOnly) {
  std::string id = PutSleeping(true);
  EXPECT_EQ(Send("POST", "/process.Process/List", ToBox(id, 49983)).status, 401);
  EXPECT_EQ(
      Send("POST", "/process.Process/List", ToBox(id, 49983, {{"X-Access-Token", "no"}})).status,
      401);
  EXPECT_EQ(Send("GET", "/health", ToBox(id, 49983)).text, NotFoundBody(id));
  EXPECT_THAT(boxes_.dialled, IsEmpty());
  ParsedResponse right = Send("POST", "/process.Process/List",
                              ToBox(id, 49983, {{"X-Access-Token", boxes_.AgentToken(id)}}));
  EXPECT_EQ(right.status, 200);
  EXPECT_THAT(boxes_.dialled, ElementsAre(Pair(id, 0)));
}

TEST_F(TrafficTest, ASleepingBoxIsWokenForASignedLink) {
  std::string id = PutSleeping(true);
  HeaderList name = {{"Host", "49983-" + id + ".sbx.localhost"}};
  std::string now = std::to_string(boxes_.now_us / 1'000'000);
  EXPECT_EQ(Send("GET", SignedTarget(id, "read", ""), name).status, 200);
  EXPECT_EQ(Send("GET", SignedTarget(id, "read", now), name).status, 200);
  EXPECT_EQ(boxes_.dialled.size(), 2u);
  EXPECT_EQ(Send("GET", SignedTarget(id, "read", "1000"), name).message(),
            "signature is already expired");
  EXPECT_EQ(Send("POST", SignedTarget(id, "read", ""), name).message(), "invalid signature");
  EXPECT_EQ(boxes_.dialled.size(), 2u);
}

TEST_F(TrafficTest, ABoxWithoutItsMemoryIsNeverWokenByTraffic) {
  std::string id = PutSleeping(true, BoxState::kStopped);
  HeaderList headers = ToBox(id, 49983, {{"X-Access-Token", boxes_.AgentToken(id)}});
  EXPECT_EQ(Send("GET", "/health", headers).text, NotFoundBody(id));
  EXPECT_THAT(boxes_.dialled, IsEmpty());
}

TEST_F(TrafficTest, APublicPortWakesAndAPrivateOneAsksFirst) {
  std::string open = PutSleeping(true), closed = PutSleeping(true);
  boxes_.Edit(closed, [](boxes::Box& box) { box.spec.network.public_traffic = false; });
  EXPECT_EQ(Send("GET", "/", ToBox(open, 3000)).status, 200);
  EXPECT_EQ(Send("GET", "/", ToBox(closed, 3000)).status, 403);
  EXPECT_THAT(boxes_.dialled, ElementsAre(Pair(open, 3000)));
}

TEST_F(TrafficTest, ASignedLinkFindsItsBox) {
  Put();
  std::string id = Put();
  Put();
  EXPECT_EQ(Send("GET", SignedTarget(id, "read", ""), {{"Host", "localhost:7373"}}).status, 200);
  EXPECT_EQ(Send("POST", SignedTarget(id, "write", "99"), {{"Host", "localhost:7373"}}).status,
            200);
  EXPECT_THAT(boxes_.dialled, ElementsAre(Pair(id, 0), Pair(id, 0)));
  ParsedResponse wrong = Send("POST", SignedTarget(id, "read", ""), {{"Host", "localhost:7373"}});
  EXPECT_EQ(wrong.status, 401);
  EXPECT_EQ(wrong.message(), "invalid signature");
}

TEST_F(TrafficTest, SearchesForSignersHaveABudget) {
  for (int i = 0; i < 200; ++i) Put();
  std::string id = Put();
  HeaderList headers = {{"Host", "localhost"}};
  ASSERT_EQ(Send("GET", SignedTarget(id, "read", ""), headers).status, 200);
  int refused = 0;
  while (refused < 10'000) {
    ParsedResponse response =
        Send("GET", "/files?path=a&signature=v1_" + std::to_string(refused), headers);
    if (response.status == 429) {
      EXPECT_EQ(response.headers.Get("retry-after"), "1");
      break;
    }
    ASSERT_EQ(response.status, 401);
    ++refused;
  }
  EXPECT_LT(refused, 1000) << "how many boxes there are decides how many links are looked up";
  EXPECT_EQ(Send("GET", SignedTarget(id, "read", ""), headers).status, 200)
      << "one that was found is known";
  EXPECT_EQ(Send("GET", SignedTarget(id, "read", ""), ToBox(id, 49983)).status, 200)
      << "one that names its sandbox needs no search";
  boxes_.now_us += 2'000'000;
  EXPECT_EQ(Send("GET", "/files?path=a&signature=v1_x", headers).status, 401);
}

TEST_F(TrafficTest, OurKeysGoNoFurther) {
  store::Key key;
  key.hash = Sha256Hex("ours");
  store_.keys.push_back(key);
  std::string id = Put();
  for (int port : {3000, 49983}) {
    relayed_.clear();
    Send("GET", "/", ToBox(id, port, {{"X-API-Key", "ours"}, {"Authorization", "Bearer ours"}}));
    Send("GET", "/", ToBox(id, port, {{"X-API-Key", "app"}, {"Authorization", "Bearer app"}}));
    EXPECT_THAT(relayed_.at(0).options.dropped, Contains("x-api-key"));
    EXPECT_THAT(relayed_.at(0).options.dropped, Contains("authorization"));
    EXPECT_THAT(relayed_.at(1).options.dropped, Not(Contains("x-api-key")));
    EXPECT_THAT(relayed_.at(1).options.dropped, Not(Contains("authorization")));
  }
  Send("GET", "/", ToBox(id, 3000, {{"X-Access-Token", boxes_.AgentToken(id)}}));
  EXPECT_THAT(relayed_.back().options.dropped, Contains("x-access-token"));
}

TEST_F(TrafficTest, ASignedLinkUnderThePrefixFindsItsBoxToo) {
  std::string id = Put();
  EXPECT_EQ(Send("GET", "/e2b" + SignedTarget(id, "read", ""), {{"Host", "localhost"}}).status,
            200);
  EXPECT_EQ(relayed_.at(0).path, "/files");
}

TEST_F(TrafficTest, AnswersPreflightsForTheAgentOnly) {
  std::string id = Put();
  HeaderList asks = {{"Access-Control-Request-Method", "POST"},
                     {"Access-Control-Request-Headers", "authorization, connect-protocol-version"}};
  ParsedResponse agent = Send("OPTIONS", "/process.Process/Start", ToBox(id, 49983, asks));
  EXPECT_EQ(agent.status, 204);
  EXPECT_EQ(agent.headers.Get("access-control-allow-origin"), "*");
  EXPECT_EQ(agent.headers.Get("access-control-allow-headers"),
            "authorization, connect-protocol-version");
  EXPECT_THAT(boxes_.dialled, IsEmpty());
  EXPECT_EQ(Send("OPTIONS", "/", ToBox("igone", 3000, asks)).status, 204);
  EXPECT_EQ(Send("OPTIONS", "/", ToBox(id, 3000, asks)).status, 200) << "the guest's own matter";
  EXPECT_THAT(boxes_.dialled, ElementsAre(Pair(id, 3000)));
}

TEST_F(TrafficTest, LeavesTheGuestsOwnHeadersAlone) {
  std::string id = Put();
  EXPECT_FALSE(Send("GET", "/", ToBox(id, 3000)).headers.Has("access-control-allow-origin"));
  relay_response_.headers.Set("Access-Control-Allow-Origin", "https://a.example");
  EXPECT_EQ(Send("GET", "/files", ToBox(id, 49983)).headers.Get("access-control-allow-origin"),
            "https://a.example");
}

}  // namespace
}  // namespace viv::e2b
