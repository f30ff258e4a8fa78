#include "dialects/e2b/network_rules.h"

#include "dialects/e2b/test_support.h"

namespace viv::e2b {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = gateway::SecretText::Kind;

class NetworkRulesTest : public E2bTest {
 protected:
  ParsedResponse CreateWith(const std::string& network) {
    return Call("POST", "/v2/sandboxes", R"({"templateID":"base","network":)" + network + '}');
  }
  // Of a sandbox that was created with these.
  std::string Made(const std::string& network) {
    ParsedResponse response = CreateWith(network);
    EXPECT_EQ(response.status, 201) << response.text;
    return std::string(FindString(response.body, "sandboxID"));
  }
  ParsedResponse Replace(const std::string& id, const std::string& network) {
    return Call("PUT", "/sandboxes/" + id + "/network", network);
  }
  const gateway::Plan& PlanOf(const std::string& id) { return At(id).spec.network.plan; }
  std::string Shown(const std::string& id) {
    ParsedResponse response = Call("GET", "/sandboxes/" + id);
    const json::value* network = Find(response.body, "network");
    return network == nullptr ? "none" : WriteJson(*network);
  }
  std::string Revealed(const gateway::SecretText& text) {
    auto revealed = secrets_.Reveal("mine", text);
    return revealed ? *revealed : "error: " + revealed.error().message;
  }
  // Why a sandbox with these rules was not made.
  std::string Refusal(const std::string& network) {
    ParsedResponse response = CreateWith(network);
    EXPECT_EQ(response.status, 400) << network;
    return response.message();
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
            (gateway::SecretText{Kind::kDollarReferences, "Bearer ${e2b.secrets.Api-Key}", ""}));
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
  ParsedResponse response = CreateWith(OneHeader("X-Token", "***"));
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.message(), HasSubstr("give the value again"));
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

TEST_F(NetworkRulesTest, DomainsThatAddNothingAreKeptAndNotIntercepted) {
  for (const char* rules :
       {R"({"a.com":[]})", R"({"a.com":[{}]})", R"({"a.com":[{"transform":null}]})",
        R"({"a.com":[{"transform":{}}]})", R"({"a.com":[{"transform":{"headers":{}}}]})"}) {
    std::string id = Made(std::string(R"({"rules":)") + rules + '}');
    ASSERT_EQ(PlanOf(id).rules.size(), 1u) << rules;
    EXPECT_EQ(PlanOf(id).rules[0].name, "a.com");
    EXPECT_FALSE(PlanOf(id).intercepts()) << rules;
    EXPECT_EQ(Shown(id), R"({"allowPublicTraffic":true,"rules":{"a.com":[]}})");
  }
  for (const char* rules : {"{}", "null"}) {
    std::string id = Made(std::string(R"({"rules":)") + rules + '}');
    EXPECT_EQ(PlanOf(id), gateway::Plan()) << rules;
    EXPECT_EQ(Shown(id), "none");
  }
}

TEST_F(NetworkRulesTest, ADomainThatAddsNothingComesBeforeTheWildcardAboveIt) {
  std::string id = Made(R"({"rules":{"*.api.test":[{"transform":{"headers":{"A":"b"}}}],
                                     "evil.api.test":[]}})");
  ASSERT_EQ(PlanOf(id).rules.size(), 2u);
  EXPECT_EQ(PlanOf(id).rules[0].name, "evil.api.test");
  EXPECT_TRUE(PlanOf(id).rules[0].headers.empty());
  EXPECT_TRUE(PlanOf(id).intercepts());
  EXPECT_EQ(PlanOf(id), gateway::PlanOf(gateway::PlanToJson(PlanOf(id))));
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
        R"({"a.com":[[]]})", R"({"a.com":[{"transform":[]}]})", R"({"a.com":[{"transform":"x"}]})",
        R"({"a.com":[{"transform":{"headers":[]}}]})",
        R"({"a.com":[{"transform":{"headers":{"A":1}}}]})",
        R"({"a.com":[{"transform":{"headers":{"A":null}}}]})",
        R"({"a.com":[{"transform":{"headers":{"A":"1","a":"2"}}}]})"}) {
    ParsedResponse response = CreateWith(std::string(R"({"rules":)") + rules + '}');
    EXPECT_EQ(response.status, 400) << rules;
    EXPECT_THAT(response.message(), HasSubstr("network.rules")) << rules;
  }
  EXPECT_TRUE(boxes_.boxes.empty());
}

TEST_F(NetworkRulesTest, RefusesWhatIsNoDomain) {
  for (const char* domain :
       {"1.2.3.4", "[::1]",  "::1",     "10.0.0.0/8",  "a.com:443", "https://a.com", "a.com/x",
        "~.*",     "a*.com", "*.*.com", "**.api.test", "a.*.test",  "*.a.*",         "*",
        "*.",      "*a.com", "a b.com", "-a.com",      "a..com",    "a.com\\r\\nx",  "\\u0000"})
    EXPECT_THAT(Refusal(std::string(R"({"rules":{")") + domain + R"(":[]}})"),
                EndsWith(" is not a valid domain name."))
        << domain;
}

TEST_F(NetworkRulesTest, UsesTheVendorsWordsForDomains) {
  const std::string longest(128, 'a');
  auto refusal = [&](const std::string& rules) { return Refusal(R"({"rules":)" + rules + '}'); };
  EXPECT_EQ(refusal(R"({"":[]})"), "Rule domain must not be empty.");
  EXPECT_EQ(refusal(R"({"a\"b\\\n\u0001":[]})"),
            R"(Rule domain "a\"b\\\n\x01" is not a valid domain name.)");
  EXPECT_EQ(refusal(R"({"a)" + longest + R"(":[]})"),
            R"(Rule domain "a)" + longest + R"(" exceeds maximum length of 128 characters.)");
  EXPECT_EQ(refusal(R"({"a.com":[],"A.com":[]})"),
            "Network rule domain keys must be unique ignoring case.");
  EXPECT_EQ(refusal(R"({"a.com":[],"A.com.":[]})"),
            "Network rule domain keys must be unique ignoring case.");
  EXPECT_EQ(refusal(R"({"a.com":[{},{}]})"),
            R"(Domain "a.com" can have at most 1 transform rule.)");
}

TEST_F(NetworkRulesTest, RefusesHeadersThatARuleCannotSet) {
  for (const char* name :
       {"Host", "content-length", "Connection", "Transfer-Encoding", "TE", "Trailer", "Upgrade",
        "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Expect", "HTTP2-Settings"}) {
    ParsedResponse response = CreateWith(OneHeader(name, "x"));
    EXPECT_EQ(response.status, 400) << name;
    EXPECT_THAT(response.message(), HasSubstr("reserved")) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("a b"), std::string("a:"), std::string(":path"),
        std::string("a\r\nb"), std::string("ä"), std::string("a\0b", 3), std::string(65, 'a')})
    EXPECT_THAT(Refusal(OneHeader(name, "x")), HasSubstr(R"( in rule for domain "a.com" )"));
  EXPECT_EQ(Refusal(OneHeader("", "x")),
            R"(Header name in rule for domain "a.com" must not be empty.)");
  EXPECT_EQ(Refusal(OneHeader("a\r\nb", "x")),
            R"(Header name "a\r\nb" in rule for domain "a.com" must contain only valid HTTP token )"
            "characters.");
  EXPECT_EQ(Refusal(OneHeader(std::string(65, 'a'), "x")),
            "Header name \"" + std::string(65, 'a') +
                R"(" in rule for domain "a.com" exceeds maximum length of 64 characters.)");
  EXPECT_EQ(CreateWith(OneHeader(std::string(64, 'a'), "x")).status, 201);
}

TEST_F(NetworkRulesTest, RefusesValuesThatCannotBeSentAndRepeatsNone) {
  const std::string value_of = R"(Value for header "X-Token" in rule for domain "a.com" )";
  const std::string invalid = value_of + "contains invalid characters.";
  const std::string malformed = "Network transform header contains a malformed E2B placeholder.";
  std::string many = "canary";
  for (int i = 0; i < 65; ++i) many += "${e2b.secrets.a}";
  for (const auto& [value, message] : std::vector<std::pair<std::string, std::string>>{
           {"canary\r\nX: y", invalid},
           {"canary\n", invalid},
           {std::string("canary\0", 7), invalid},
           {"canary\x7f", invalid},
           {"canary" + std::string(2043, 'x'),
            value_of + "exceeds maximum length of 2048 characters."},
           {"canary${e2b.secrets.}", malformed},
           {"canary${e2b.secrets.a", malformed},
           {"canary${e2b.secrets.a b}", malformed},
           {many, "network.rules: a.com: X-Token: at most 64 secrets are referred to in one value"},
           {"canary${e2b.identity.tokens.aws}",
            "network.rules: a.com: X-Token: workload identity is not available here; use "
            "${e2b.secrets.NAME}"}}) {
    ParsedResponse response = CreateWith(OneHeader("X-Token", value));
    EXPECT_EQ(response.status, 400) << value;
    EXPECT_EQ(response.message(), message);
    EXPECT_THAT(response.text, Not(HasSubstr("canary"))) << value;
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
  EXPECT_EQ(Refusal(domains(11)), "Network rules can have at most 10 domains.");
  EXPECT_EQ(CreateWith(domains(10'000)).status, 400);
  EXPECT_EQ(CreateWith(headers(20)).status, 201);
  EXPECT_EQ(Refusal(headers(21)), R"(Domain "a.com" can have at most 20 headers per rule.)");
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
