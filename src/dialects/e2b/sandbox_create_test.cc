#include "dialects/e2b/test_support.h"

namespace viv::e2b {
namespace {

using ::testing::HasSubstr;

using SandboxCreateTest = E2bTest;

TEST_F(SandboxCreateTest, AnswersWhatAClientNeeds) {
  ParsedResponse response = Call("POST", "/v2/sandboxes", R"({"templateID":"base"})");
  ASSERT_EQ(response.status, 201) << response.text;
  std::string id(FindString(response.body, "sandboxID"));
  EXPECT_EQ(FindString(response.body, "templateID"), "basebasebasebasebase");
  EXPECT_EQ(FindString(response.body, "alias"), "base");
  EXPECT_EQ(FindString(response.body, "clientID"), "6532622b");
  EXPECT_EQ(FindString(response.body, "envdVersion"), "0.6.13");
  EXPECT_EQ(FindString(response.body, "envdAccessToken"), "agent-" + id);
  EXPECT_EQ(Find(response.body, "trafficAccessToken"), nullptr);
  EXPECT_EQ(Find(response.body, "domain"), nullptr);
  EXPECT_EQ(At(id).spec.timeout_seconds, 300);
  EXPECT_EQ(At(id).spec.on_timeout, boxes::OnTimeout::kKill);
  EXPECT_TRUE(At(id).spec.network.egress.internet);
}

TEST_F(SandboxCreateTest, TellsTheDomainWhenThereIsOne) {
  context_.domain = "sbx.example.com:8443";
  ParsedResponse response = Call("POST", "/v2/sandboxes", R"({"templateID":"base"})");
  EXPECT_EQ(FindString(response.body, "domain"), "sbx.example.com:8443");
}

TEST_F(SandboxCreateTest, PassesOnAllThatTheClientSets) {
  ParsedResponse response = Call("POST", "/v2/sandboxes",
                                 R"({"templateID":"mine/base:default","metadata":{"a b":"c&d=é"},
                           "envVars":{"FOO":"bar"},"timeout":60,
                           "network":{"allowOut":["1.1.1.1","*.example.com"],
                                      "denyOut":["0.0.0.0/0"],"allowPublicTraffic":false,
                                      "maskRequestHost":"localhost:${PORT}","httpsPorts":[8443]},
                           "autoPause":true,"autoResume":{"enabled":true},"mcp":{"x":{}},
                           "iam":{"tokens":{}},"volumeMounts":[],"unknown":1})");
  ASSERT_EQ(response.status, 201) << response.text;
  std::string id(FindString(response.body, "sandboxID"));
  EXPECT_EQ(FindString(response.body, "trafficAccessToken"), "traffic-" + id);
  const boxes::BoxSpec& spec = At(id).spec;
  EXPECT_EQ(spec.metadata, (std::map<std::string, std::string>{{"a b", "c&d=é"}}));
  EXPECT_EQ(spec.variables, (std::map<std::string, std::string>{{"FOO", "bar"}}));
  EXPECT_EQ(spec.timeout_seconds, 60);
  EXPECT_EQ(spec.on_timeout, boxes::OnTimeout::kPause);
  EXPECT_EQ(spec.wake, boxes::WakeOnTraffic::kPaused);
  EXPECT_EQ(spec.network.egress.allow, (std::vector<std::string>{"1.1.1.1", "*.example.com"}));
  EXPECT_EQ(spec.network.egress.deny, (std::vector<std::string>{"0.0.0.0/0"}));
  EXPECT_FALSE(spec.network.public_traffic);
  EXPECT_EQ(spec.network.mask_request_host, "localhost:${PORT}");
  EXPECT_EQ(spec.network.tls_ports, (std::vector<std::uint16_t>{8443}));
}

TEST_F(SandboxCreateTest, TheOlderFormLivesFifteenSecondsByDefault) {
  ParsedResponse response = Call("POST", "/sandboxes", R"({"templateID":"base","secure":true})");
  ASSERT_EQ(response.status, 201);
  EXPECT_EQ(At(std::string(FindString(response.body, "sandboxID"))).spec.timeout_seconds, 15);
}

TEST_F(SandboxCreateTest, PausesWithoutMemoryWhenAskedTo) {
  ParsedResponse response = Call(
      "POST", "/v2/sandboxes", R"({"templateID":"base","autoPause":true,"autoPauseMemory":false})");
  ASSERT_EQ(response.status, 201);
  EXPECT_EQ(At(std::string(FindString(response.body, "sandboxID"))).spec.on_timeout,
            boxes::OnTimeout::kStop);
}

TEST_F(SandboxCreateTest, CutsTheInternetOff) {
  ParsedResponse response = Call("POST", "/v2/sandboxes",
                                 R"({"templateID":"base","allow_internet_access":false,
                           "network":{"allowOut":["example.com"]}})");
  ASSERT_EQ(response.status, 201) << response.text;
  EXPECT_FALSE(
      At(std::string(FindString(response.body, "sandboxID"))).spec.network.egress.internet);
}

TEST_F(SandboxCreateTest, NullIsAsGoodAsAbsent) {
  ParsedResponse response =
      Call("POST", "/v2/sandboxes",
           R"({"templateID":"base","timeout":null,"metadata":null,"network":null,
                           "mcp":null,"autoResume":null})");
  EXPECT_EQ(response.status, 201) << response.text;
}

TEST_F(SandboxCreateTest, RefusesBadBodies) {
  for (
      const char* body :
      {"",
       "x",
       "[]",
       "{",
       "\"base\"",
       "{}",
       R"({"templateID":1})",
       R"({"templateID":""})",
       R"({"templateID":"a b"})",
       R"({"templateID":"base","timeout":0})",
       R"({"templateID":"base","timeout":-1})",
       R"({"templateID":"base","timeout":86401})",
       R"({"templateID":"base","timeout":"60"})",
       R"({"templateID":"base","timeout":1.5})",
       R"({"templateID":"base","timeout":99999999999999999999})",
       R"({"templateID":"base","metadata":{"a":1}})",
       R"({"templateID":"base","metadata":[]})",
       R"({"templateID":"base","metadata":{"a":null}})",
       R"({"templateID":"base","envVars":{"A":1}})",
       R"({"templateID":"base","envVars":{"":"x"}})",
       R"({"templateID":"base","envVars":{"A=B":"x"}})",
       R"({"templateID":"base","envVars":{"A":"\u0000"}})",
       R"({"templateID":"base","autoPause":"yes"})",
       R"({"templateID":"base","autoPauseMemory":false})",
       R"({"templateID":"base","autoPause":true,"autoPauseMemory":false,"autoResume":{"enabled":true}})",
       R"({"templateID":"base","autoResume":{}})",
       R"({"templateID":"base","autoResume":true})",
       R"({"templateID":"base","autoResume":{"enabled":1}})",
       R"({"templateID":"base","network":[]})",
       R"({"templateID":"base","network":{"allowOut":"x"}})",
       R"({"templateID":"base","network":{"allowOut":[1]}})",
       R"({"templateID":"base","network":{"httpsPorts":[49983]}})",
       R"({"templateID":"base","network":{"httpsPorts":[0]}})",
       R"({"templateID":"base","network":{"httpsPorts":[70000]}})",
       R"({"templateID":"base","network":{"httpsPorts":["8443"]}})",
       R"({"templateID":"base","network":{"maskRequestHost":"a b"}})",
       R"({"templateID":"base","network":{"maskRequestHost":"a\r\nX: y"}})",
       R"({"templateID":"base","network":{"rules":{"a.com":[1]}}})",
       R"({"templateID":"base","network":{"egressProxy":{"address":"a"}}})",
       R"({"templateID":"base","network":{"dnsServers":["1.1.1.1"]}})",
       R"({"templateID":"base","network":{"dnsServers":"1.1.1.1"}})",
       R"({"templateID":"base","mcp":1})",
       R"({"templateID":"base","iam":{"tokens":{"a":{}}}})",
       R"({"templateID":"base","volumeMounts":[{"name":"a","path":"/a"}]})"}) {
    for (const char* path : {"/v2/sandboxes", "/sandboxes"}) {
      ParsedResponse response = Call("POST", path, body);
      EXPECT_EQ(response.status, 400) << path << ' ' << body;
      EXPECT_NE(response.message(), "");
    }
  }
  EXPECT_TRUE(boxes_.boxes.empty());
}

TEST_F(SandboxCreateTest, UsesTheVendorsWordsForNetworkMistakes) {
  EXPECT_EQ(Call("POST", "/v2/sandboxes",
                 R"({"templateID":"base","network":{"allowOut":["example.com"]}})")
                .message(),
            "When specifying allowed domains in allow out, you must include 'ALL_TRAFFIC' in deny "
            "out to block all other traffic.");
  EXPECT_EQ(Call("POST", "/v2/sandboxes",
                 R"({"templateID":"base","network":{"denyOut":["example.com"]}})")
                .message(),
            "invalid denied CIDR example.com");
  auto refusal = [&](const std::string& network) {
    return Call("POST", "/v2/sandboxes", R"({"templateID":"base","network":)" + network + '}')
        .message();
  };
  EXPECT_EQ(refusal(R"({"allowOut":["not a host"]})"), "invalid allowed domain: not a host");
  EXPECT_EQ(refusal(R"({"maskRequestHost":"a b"})"), "mask request host is not valid: a b");
  EXPECT_EQ(refusal(R"({"maskRequestHost":"bücher.test:80"})"),
            "mask request host 'bücher.test' is not ASCII. Please use ASCII characters only.");
  EXPECT_EQ(refusal(R"({"httpsPorts":[0]})"), "HTTPS port must be between 1 and 65535: 0");
  EXPECT_EQ(refusal(R"({"httpsPorts":[70000]})"), "HTTPS port must be between 1 and 65535: 70000");
  EXPECT_EQ(refusal(R"({"httpsPorts":[49983]})"),
            "HTTPS backend routing is not supported for reserved port 49983");
  EXPECT_EQ(refusal(R"({"httpsPorts":[1,2,1]})"), "HTTPS port 1 is specified more than once.");
}

TEST_F(SandboxCreateTest, HasSoManyPortsThatSpeakTlsOnly) {
  auto with_ports = [&](int count) {
    json::array ports;
    for (int i = 1; i <= count; ++i) ports.emplace_back(i);
    return Call("POST", "/v2/sandboxes",
                R"({"templateID":"base","network":{"httpsPorts":)" + WriteJson(ports) + "}}");
  };
  EXPECT_EQ(with_ports(128).status, 201);
  EXPECT_EQ(with_ports(129).message(), "HTTPS ports can have at most 128 entries.");
}

TEST_F(SandboxCreateTest, AMaskIsAHostAndPerhapsAPort) {
  auto with_mask = [&](const std::string& mask) {
    return Call("POST", "/v2/sandboxes",
                R"({"templateID":"base","network":{"maskRequestHost":")" + mask + "\"}}");
  };
  for (const char* mask :
       {"a", "a.test:${PORT}", "a:80", "[::1]", "[::1]:${PORT}", "${PORT}-a.test"})
    EXPECT_EQ(with_mask(mask).status, 201) << mask;
  for (const char* mask : {"a:b:c", "::1", "[::1", "[::1]a", "a]", "a[b]:1", "[::1]:1:2", "a/b"})
    EXPECT_EQ(with_mask(mask).message(), std::string("mask request host is not valid: ") + mask);
}

TEST_F(SandboxCreateTest, ShowsWhatWasSaidAboutTheInternet) {
  for (const auto& [said, shown] :
       {std::pair("", "null"), std::pair(R"(,"allow_internet_access":null)", "null"),
        std::pair(R"(,"allow_internet_access":true)", "true"),
        std::pair(R"(,"allow_internet_access":false)", "false")}) {
    ParsedResponse made =
        Call("POST", "/v2/sandboxes", std::string(R"({"templateID":"base")") + said + '}');
    const std::string path = "/sandboxes/" + std::string(FindString(made.body, "sandboxID"));
    ParsedResponse response = Call("GET", path);
    EXPECT_EQ(WriteJson(response.body.at("allowInternetAccess")), shown) << said;
    EXPECT_EQ(Find(response.body, "network"), nullptr);
    ASSERT_EQ(Call("PUT", path + "/network", R"({"allow_internet_access":true})").status, 204);
    EXPECT_TRUE(Call("GET", path).body.at("allowInternetAccess").as_bool());
    ASSERT_EQ(Call("PUT", path + "/network", "{}").status, 204);
    EXPECT_TRUE(Call("GET", path).body.at("allowInternetAccess").is_null());
  }
}

TEST_F(SandboxCreateTest, PrivatePortsNeedASecuredSandbox) {
  const char* body = R"({"templateID":"base","network":{"allowPublicTraffic":false}})";
  EXPECT_EQ(Call("POST", "/v2/sandboxes", body).status, 201);
  EXPECT_EQ(Call("POST", "/sandboxes", body).status, 400);
  EXPECT_EQ(Call("POST", "/sandboxes",
                 R"({"templateID":"base","secure":true,"network":{"allowPublicTraffic":false}})")
                .status,
            201);
}

TEST_F(SandboxCreateTest, RefusesMetadataAndVariablesWithoutEnd) {
  std::string large(70'000, 'x');
  EXPECT_EQ(
      Call("POST", "/v2/sandboxes", R"({"templateID":"base","metadata":{"a":")" + large + R"("}})")
          .status,
      400);
  EXPECT_EQ(
      Call("POST", "/v2/sandboxes", R"({"templateID":"base","envVars":{"a":")" + large + R"("}})")
          .status,
      201);
}

TEST_F(SandboxCreateTest, TellsWhyTheDomainMadeNone) {
  EXPECT_EQ(Call("POST", "/v2/sandboxes", R"({"templateID":"nope"})").status, 404);
  EXPECT_EQ(Call("POST", "/v2/sandboxes", R"({"templateID":"theirs/base"})").status, 404);
  boxes_.failure = Error{ErrorCode::kLimitExceeded, "no room"};
  ParsedResponse full = Call("POST", "/v2/sandboxes", R"({"templateID":"base"})");
  EXPECT_EQ(full.status, 429);
  EXPECT_FALSE(full.headers.Has("retry-after"));
  boxes_.failure = Error{ErrorCode::kInternal, "secret detail"};
  ParsedResponse broken = Call("POST", "/v2/sandboxes", R"({"templateID":"base"})");
  EXPECT_EQ(broken.status, 500);
  EXPECT_EQ(broken.text.find("secret"), std::string::npos);
}

TEST_F(SandboxCreateTest, TheSameIdempotencyKeyGivesTheSameSandbox) {
  HeaderList key = {{"Idempotency-Key", "k1"}};
  const char* body = R"({"templateID":"base"})";
  ParsedResponse first = Call("POST", "/v2/sandboxes", body, key);
  ParsedResponse second = Call("POST", "/v2/sandboxes", body, key);
  EXPECT_EQ(second.status, 201);
  EXPECT_EQ(first.text, second.text);
  EXPECT_EQ(boxes_.boxes.size(), 1u);
  HeaderList theirs = {{"Idempotency-Key", "k1"}, {"X-API-Key", "other"}};
  EXPECT_EQ(Call("POST", "/v2/sandboxes", body, theirs).status, 201);
  EXPECT_EQ(boxes_.boxes.size(), 2u);
  ParsedResponse other = Call("POST", "/v2/sandboxes", R"({"templateID":"base","timeout":5})", key);
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(other.text,
            R"({"code":409,"message":"Idempotency-Key was already used with a different request",)"
            R"("error_code":"idempotency_request_mismatch"})");
}

TEST_F(SandboxCreateTest, AnIdempotencyKeyMakesNoSecondSandboxAfterTheFirstIsGone) {
  HeaderList key = {{"Idempotency-Key", "k1"}};
  const char* body = R"({"templateID":"base"})";
  ASSERT_EQ(Call("POST", "/v2/sandboxes", body, key).status, 201);
  boxes_.boxes.clear();
  EXPECT_EQ(Call("POST", "/v2/sandboxes", body, key).status, 409);
}

TEST_F(SandboxCreateTest, AFailedCreateFreesItsIdempotencyKey) {
  HeaderList key = {{"Idempotency-Key", "k1"}};
  const char* body = R"({"templateID":"base"})";
  boxes_.failure = Error{ErrorCode::kUnavailable, "not now"};
  EXPECT_EQ(Call("POST", "/v2/sandboxes", body, key).status, 503);
  EXPECT_EQ(Call("POST", "/v2/sandboxes", body, key).status, 201);
}

}  // namespace
}  // namespace viv::e2b
