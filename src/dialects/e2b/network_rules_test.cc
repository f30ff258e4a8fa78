#include "dialects/e2b/network_rules.h"

#include "dialects/e2b/test_support.h"

namespace viv::e2b {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Kind = gateway::SecretText::Kind;

class NetworkRulesTest : public E2bTest {
 protected:
  Answer CreateWith(const std::string& network) {
    return Call("POST", "/v2/sandboxes", R"({"templateID":"base","network":)" + network + '}');
  }
  // Of a sandbox that was created with these.
  std::string Made(const std::string& network) {
    Answer answer = CreateWith(network);
    EXPECT_EQ(answer.status, 201) << answer.text;
    return std::string(FindString(answer.body, "sandboxID"));
  }
  Answer Replace(const std::string& id, const std::string& network) {
    return Call("PUT", "/sandboxes/" + id + "/network", network);
  }
  const gateway::Plan& PlanOf(const std::string& id) { return At(id).spec.network.plan; }
  std::string Shown(const std::string& id) {
    Answer answer = Call("GET", "/sandboxes/" + id);
    const json::value* network = Find(answer.body, "network");
    return network == nullptr ? "none" : WriteJson(*network);
  }
  std::string Revealed(const gateway::SecretText& text) {
    auto revealed = secrets_.Reveal("mine", text);
    return revealed ? *revealed : "error: " + revealed.error().message;
  }
  static std::string OneHeader(std::string_view name, std::string_view value) {
    json::object headers{{name, value}};
    json::array rules{json::object{{"transform", json::object{{"headers", std::move(headers)}}}}};
    return WriteJson(json::object{{"rules", json::object{{"a.com", std::move(rules)}}}});
  }
};

TEST_F(NetworkRulesTest, RulesBecomeThePlanOfTheSandbox) {
  std::string id = Made(R"({"rules":{
      "API.example.com.":[{"transform":{"headers":{
          "Authorization":"Bearer ${e2b.secrets.Api-Key}","X-Plain":"canary"}}}],
      "other.com":[{"transform":{"headers":{"X-Empty":""}}}]}})");
  const gateway::Plan& plan = PlanOf(id);
  ASSERT_EQ(plan.rules.size(), 2u);
  EXPECT_EQ(plan.rules[0].hosts, (std::vector<std::string>{"api.example.com"}));
  EXPECT_EQ(plan.rules[0].name, "api.example.com");
  EXPECT_TRUE(plan.rules[0].paths.empty());
  ASSERT_EQ(plan.rules[0].headers.size(), 2u);
  EXPECT_EQ(plan.rules[0].headers[0].name, "Authorization");
  EXPECT_EQ(plan.rules[0].headers[0].value,
            (gateway::SecretText{Kind::kMarked, "Bearer ${e2b.secrets.Api-Key}", ""}));
  EXPECT_EQ(plan.rules[0].headers[1].value.kind, Kind::kSealed);
  EXPECT_EQ(plan.rules[0].headers[1].value.purpose, "e2b.rule:mine");
  EXPECT_EQ(Revealed(plan.rules[0].headers[1].value), "canary");
  EXPECT_EQ(Revealed(plan.rules[1].headers[0].value), "");
  EXPECT_THAT(WriteJson(gateway::PlanToJson(plan)), Not(HasSubstr("canary")));
}

TEST_F(NetworkRulesTest, DetailsShowPlaceholdersAndHideValues) {
  std::string id = Made(R"({"rules":{"*.example.com":[{"transform":{"headers":{
      "Authorization":"Bearer ${e2b.secrets.key}","X-Token":"canary"}}}]}})");
  std::string shown = Shown(id);
  EXPECT_EQ(shown,
            R"({"allowPublicTraffic":true,"rules":{"*.example.com":[{"transform":{"headers":)"
            R"({"Authorization":"Bearer ${e2b.secrets.key}","X-Token":"***"}}}]}})");
  EXPECT_THAT(Call("GET", "/v2/sandboxes").text, Not(HasSubstr("canary")));
}

TEST_F(NetworkRulesTest, AHiddenValueIsNotTakenForAValue) {
  Answer answer = CreateWith(OneHeader("X-Token", "***"));
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.message(), HasSubstr("give the value again"));
}

TEST_F(NetworkRulesTest, TheRuleThatSaysMostComesFirst) {
  const std::string headers = R"([{"transform":{"headers":{"A":"b"}}}])";
  std::string id =
      Made(R"({"rules":{"*.example.com":)" + headers + R"(,"b.com":)" + headers +
           R"(,"*.api.example.com":)" + headers + R"(,"a.api.example.com":)" + headers + "}}");
  std::vector<std::string> order;
  for (const gateway::HeaderRule& rule : PlanOf(id).rules) order.push_back(rule.name);
  EXPECT_EQ(order, (std::vector<std::string>{"b.com", "a.api.example.com", "*.api.example.com",
                                             "*.example.com"}));
}

TEST_F(NetworkRulesTest, DomainsThatAddNothingAreNotIntercepted) {
  for (const char* rules :
       {"{}", "null", R"({"a.com":[]})", R"({"a.com":[{}]})", R"({"a.com":[{"transform":null}]})",
        R"({"a.com":[{"transform":{}}]})", R"({"a.com":[{"transform":{"headers":{}}}]})"}) {
    std::string id = Made(std::string(R"({"rules":)") + rules + '}');
    EXPECT_FALSE(PlanOf(id).intercepts()) << rules;
    EXPECT_EQ(Shown(id), "none");
  }
}

TEST_F(NetworkRulesTest, ASecretThatDoesNotExistYetIsNoMistake) {
  std::string id = Made(OneHeader("Authorization", "${e2b.secrets.later}"));
  const gateway::SecretText& value = PlanOf(id).rules[0].headers[0].value;
  EXPECT_EQ(Revealed(value), "error: secret 'later' not found");
  ASSERT_EQ(Call("POST", "/secrets", R"({"name":"later","value":"now"})").status, 201);
  EXPECT_EQ(Revealed(value), "now");
}

TEST_F(NetworkRulesTest, RefusesRulesOfAWrongShape) {
  for (const char* rules :
       {"[]", "1", R"({"a.com":{}})", R"({"a.com":null})", R"({"a.com":[null]})",
        R"({"a.com":[{},{}]})", R"({"a.com":[[]]})", R"({"a.com":[{"transform":[]}]})",
        R"({"a.com":[{"transform":"x"}]})", R"({"a.com":[{"transform":{"headers":[]}}]})",
        R"({"a.com":[{"transform":{"headers":{"A":1}}}]})",
        R"({"a.com":[{"transform":{"headers":{"A":null}}}]})",
        R"({"a.com":[{"transform":{"headers":{"A":"1","a":"2"}}}]})",
        R"({"a.com":[],"A.com.":[]})"}) {
    Answer answer = CreateWith(std::string(R"({"rules":)") + rules + '}');
    EXPECT_EQ(answer.status, 400) << rules;
    EXPECT_THAT(answer.message(), HasSubstr("network.rules")) << rules;
  }
  EXPECT_TRUE(boxes_.boxes.empty());
}

TEST_F(NetworkRulesTest, RefusesWhatIsNoDomain) {
  for (const char* domain :
       {"", "*", "1.2.3.4", "[::1]", "::1", "10.0.0.0/8", "a.com:443", "https://a.com", "a.com/x",
        "~.*", "a*.com", "*.*.com", "a b.com", "-a.com", "a..com", "a.com\\r\\nx", "\\u0000"}) {
    Answer answer = CreateWith(std::string(R"({"rules":{")") + domain + R"(":[]}})");
    EXPECT_EQ(answer.status, 400) << domain;
    EXPECT_THAT(answer.message(), HasSubstr("a domain is expected")) << domain;
  }
}

TEST_F(NetworkRulesTest, RefusesHeadersThatARuleCannotSet) {
  for (const char* name :
       {"Host", "content-length", "Connection", "Transfer-Encoding", "TE", "Trailer", "Upgrade",
        "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Expect", "HTTP2-Settings"}) {
    Answer answer = CreateWith(OneHeader(name, "x"));
    EXPECT_EQ(answer.status, 400) << name;
    EXPECT_THAT(answer.message(), HasSubstr("reserved")) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("a b"), std::string("a:"), std::string(":path"),
        std::string("a\r\nb"), std::string("ä"), std::string("a\0b", 3), std::string(65, 'a')})
    EXPECT_EQ(CreateWith(OneHeader(name, "x")).status, 400) << name;
  EXPECT_EQ(CreateWith(OneHeader(std::string(64, 'a'), "x")).status, 201);
}

TEST_F(NetworkRulesTest, RefusesValuesThatCannotBeSentAndRepeatsNone) {
  for (const std::string& value :
       {std::string("canary\r\nX: y"), std::string("canary\n"), std::string("canary\0", 7),
        std::string("canary\x7f"), "canary" + std::string(2043, 'x'),
        std::string("canary${e2b.secrets.}"), std::string("canary${e2b.secrets.a"),
        std::string("canary${e2b.secrets.a b}"), std::string("canary${e2b.identity.tokens.aws}")}) {
    Answer answer = CreateWith(OneHeader("X-Token", value));
    EXPECT_EQ(answer.status, 400) << value;
    EXPECT_THAT(answer.message(), HasSubstr("network.rules: a.com: X-Token: ")) << value;
    EXPECT_THAT(answer.text, Not(HasSubstr("canary"))) << value;
  }
  EXPECT_EQ(CreateWith(OneHeader("X-Token", std::string(2048, 'x'))).status, 201);
  EXPECT_EQ(CreateWith(OneHeader("X-Token", "a\tb ü {c} ${d}")).status, 201);
}

TEST_F(NetworkRulesTest, HasLimits) {
  auto domains = [](int count) {
    std::string rules;
    for (int i = 0; i < count; ++i)
      rules += (i > 0 ? "," : "") + ("\"d" + std::to_string(i)) + ".com\":[]";
    return R"({"rules":{)" + rules + "}}";
  };
  auto headers = [](int count) {
    std::string list;
    for (int i = 0; i < count; ++i)
      list += (i > 0 ? "," : "") + ("\"H" + std::to_string(i)) + "\":\"\"";
    return R"({"rules":{"a.com":[{"transform":{"headers":{)" + list + "}}}]}}";
  };
  EXPECT_EQ(CreateWith(domains(10)).status, 201);
  EXPECT_THAT(CreateWith(domains(11)).message(), HasSubstr("at most 10 domains"));
  EXPECT_EQ(CreateWith(domains(10'000)).status, 400);
  EXPECT_EQ(CreateWith(headers(20)).status, 201);
  EXPECT_THAT(CreateWith(headers(21)).message(), HasSubstr("at most 20 headers"));
}

TEST_F(NetworkRulesTest, AProxyIsKeptWithItsPasswordSealed) {
  std::string id = Made(R"({"egressProxy":{"address":"proxy.example.com:1080","username":"me",
                            "password":"canary"}})");
  ASSERT_TRUE(PlanOf(id).proxy.has_value());
  EXPECT_EQ(PlanOf(id).proxy->address, "proxy.example.com:1080");
  EXPECT_EQ(PlanOf(id).proxy->username, "me");
  EXPECT_EQ(PlanOf(id).proxy->password.kind, Kind::kSealed);
  EXPECT_EQ(PlanOf(id).proxy->password.purpose, "e2b.proxy:mine");
  EXPECT_EQ(Revealed(PlanOf(id).proxy->password), "canary");
  EXPECT_EQ(Shown(id), R"({"allowPublicTraffic":true,"egressProxy":)"
                       R"({"address":"proxy.example.com:1080","username":"me"}})");
}

TEST_F(NetworkRulesTest, AProxyNeedsNoCredentials) {
  for (const char* address : {"10.1.2.3:1080", "[2001:db8::1]:1", "proxy:65535"}) {
    std::string id = Made(R"({"egressProxy":{"address":")" + std::string(address) + R"("}})");
    ASSERT_TRUE(PlanOf(id).proxy.has_value()) << address;
    EXPECT_EQ(PlanOf(id).proxy->password, gateway::SecretText());
  }
  EXPECT_FALSE(PlanOf(Made(R"({"egressProxy":null})")).proxy.has_value());
  EXPECT_EQ(CreateWith(R"({"egressProxy":{"address":"a:1","tls":{"enabled":false}}})").status, 201);
}

TEST_F(NetworkRulesTest, RefusesProxiesThatCannotBe) {
  const std::string long_text(256, 'x');
  for (const std::string& proxy :
       {std::string("[]"),
        std::string("{}"),
        std::string(R"({"address":""})"),
        std::string(R"({"address":"proxy.example.com"})"),
        std::string(R"({"address":":1080"})"),
        std::string(R"({"address":"a:0"})"),
        std::string(R"({"address":"a:65536"})"),
        std::string(R"({"address":"a:b"})"),
        std::string(R"({"address":"::1"})"),
        std::string(R"({"address":"*.a.com:1"})"),
        std::string(R"({"address":"~a:1"})"),
        std::string(R"({"address":"10.0.0.0/8:1"})"),
        std::string(R"({"address":"u:p@a.com:1"})"),
        std::string(R"({"address":"socks5://a.com:1"})"),
        std::string(R"({"address":1})"),
        std::string(R"({"address":"a:1","username":1})"),
        std::string(R"({"address":"a:1","tls":true})"),
        std::string(R"({"address":"a:1","tls":{}})"),
        std::string(R"({"address":"a:1","tls":{"enabled":true}})"),
        std::string(R"({"address":"a:1","password":"canary"})"),
        std::string(R"({"address":"a:1","username":"","password":"canary"})"),
        R"({"address":"a:1","username":")" + long_text + R"("})",
        R"({"address":"a:1","username":"u","password":"canary)" + long_text + R"("})"}) {
    Answer answer = CreateWith(R"({"egressProxy":)" + proxy + '}');
    EXPECT_EQ(answer.status, 400) << proxy;
    EXPECT_THAT(answer.message(), HasSubstr("egressProxy")) << proxy;
    EXPECT_THAT(answer.text, Not(HasSubstr("canary"))) << proxy;
  }
  EXPECT_TRUE(boxes_.boxes.empty());
}

TEST_F(NetworkRulesTest, AnUpdateReplacesAllOfTheWayOut) {
  std::string id = Made(R"({"allowOut":["a.com"],"denyOut":["0.0.0.0/0"],"maskRequestHost":"h",
      "rules":{"a.com":[{"transform":{"headers":{"A":"1"}}}]},
      "egressProxy":{"address":"p:1"}})");
  ASSERT_EQ(Replace(id, R"({"rules":{"b.com":[{"transform":{"headers":{"B":"2"}}}]}})").status,
            204);
  EXPECT_TRUE(At(id).spec.network.egress.allow.empty());
  ASSERT_EQ(PlanOf(id).rules.size(), 1u);
  EXPECT_EQ(PlanOf(id).rules[0].hosts[0], "b.com");
  EXPECT_FALSE(PlanOf(id).proxy.has_value());
  ASSERT_EQ(Replace(id, R"({"egressProxy":{"address":"p:2"}})").status, 204);
  EXPECT_FALSE(PlanOf(id).intercepts());
  EXPECT_EQ(PlanOf(id).proxy->address, "p:2");
  ASSERT_EQ(Replace(id, "{}").status, 204);
  EXPECT_EQ(PlanOf(id), gateway::Plan());
  EXPECT_EQ(At(id).spec.network.mask_request_host, "h");
}

TEST_F(NetworkRulesTest, AnUpdateThatIsRefusedChangesNothing) {
  std::string id = Made(R"({"rules":{"a.com":[{"transform":{"headers":{"A":"1"}}}]}})");
  const gateway::Plan before = PlanOf(id);
  for (const char* network : {R"({"rules":{"a.com":[{"transform":{"headers":{"Host":"x"}}}]}})",
                              R"({"egressProxy":{"address":"nowhere"}})"})
    EXPECT_EQ(Replace(id, network).status, 400) << network;
  EXPECT_EQ(PlanOf(id), before);
}

}  // namespace
}  // namespace viv::e2b
