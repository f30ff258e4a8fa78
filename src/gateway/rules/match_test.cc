#include "gateway/rules/match.h"

#include <gtest/gtest.h>

#include "gateway/rules/header_check.h"

namespace viv::gateway {
namespace {

HeaderRule RuleOf(std::string name,
                  std::vector<std::string> hosts,
                  std::vector<std::string> paths = {}) {
  HeaderRule rule;
  rule.name = std::move(name);
  rule.hosts = std::move(hosts);
  rule.paths = std::move(paths);
  rule.headers = {{"X-Key", {}}};
  return rule;
}

Plan PlanOfRules(std::vector<HeaderRule> rules) {
  Plan plan;
  plan.rules = std::move(rules);
  return plan;
}

Callback CallbackOf(std::string url, std::vector<std::string> hosts) {
  Callback callback;
  callback.url = std::move(url);
  callback.hosts = std::move(hosts);
  return callback;
}

std::string NameFor(const Plan& plan, std::string_view host, std::string_view path = "/") {
  const HeaderRule* rule = Matcher(plan).RuleFor(host, path);
  return rule == nullptr ? "" : rule->name;
}

TEST(MatchTest, FindsAHostByItsName) {
  Plan plan = PlanOfRules({RuleOf("a", {"a.com"}), RuleOf("b", {"b.com", "c.com"})});
  EXPECT_EQ(NameFor(plan, "a.com"), "a");
  EXPECT_EQ(NameFor(plan, "b.com"), "b");
  EXPECT_EQ(NameFor(plan, "c.com"), "b");
  for (const char* other : {"", "com", "x.a.com", "a.co", "a.com.", "aa.com", "d.com"})
    EXPECT_EQ(NameFor(plan, other), "") << other;
}

TEST(MatchTest, ARuleMayRequireHeaders) {
  HeaderRule one = RuleOf("one", {"a.com"});
  one.required_headers = {{"authorization", "Bearer one"}};
  HeaderRule both = RuleOf("both", {"a.com"}, {"/v1/*"});
  both.required_headers = {{"authorization", "Bearer two"}, {"x-team", "red"}};
  Plan plan = PlanOfRules({one, both});
  auto name = [&](std::initializer_list<std::pair<const char*, const char*>> headers) {
    http::Headers request;
    for (const auto& [key, value] : headers) request.Add(key, value);
    const HeaderRule* rule = Matcher(plan).RuleFor("a.com", "/v1/x", request);
    return rule == nullptr ? "" : rule->name;
  };
  EXPECT_EQ(name({{"Authorization", "Bearer one"}}), "one");
  EXPECT_EQ(name({{"AUTHORIZATION", "x"}, {"Authorization", "Bearer one"}}), "one");
  EXPECT_EQ(name({{"X-Team", "red"}, {"authorization", "Bearer two"}}), "both");
  for (const char* value : {"bearer one", "Bearer one ", "Bearer on", "Bearer two", ""})
    EXPECT_EQ(name({{"authorization", value}}), "") << value;
  EXPECT_EQ(name({}), "");
  EXPECT_TRUE(Matcher(plan).MatchesHost("a.com"));
}

TEST(MatchTest, ARuleThatAddsNothingShieldsItsHostFromAllOthers) {
  HeaderRule nothing = RuleOf("nothing", {"bare.example.com"});
  nothing.headers.clear();
  HeaderRule wide = RuleOf("wide", {"*.example.com"});
  Plan plan = PlanOfRules({nothing, wide});
  plan.callbacks.push_back(CallbackOf("http://c", {"bare.example.com"}));
  EXPECT_EQ(NameFor(plan, "bare.example.com"), "nothing");
  EXPECT_FALSE(Matcher(plan).MatchesHost("bare.example.com"));
  EXPECT_TRUE(Matcher(plan).MatchesHost("other.example.com"));
  plan.rules = {wide, nothing};
  EXPECT_TRUE(Matcher(plan).MatchesHost("bare.example.com"));
  nothing.paths = {"/a"};  // what it is not for may still be for others
  plan.rules = {nothing, wide};
  EXPECT_TRUE(Matcher(plan).MatchesHost("bare.example.com"));
  plan.rules = {nothing};
  EXPECT_TRUE(Matcher(plan).MatchesHost("bare.example.com"));
  plan.callbacks.clear();
  EXPECT_FALSE(Matcher(plan).MatchesHost("bare.example.com"));
}

TEST(MatchTest, AWildcardIsForAllBelowAtAnyDepthButNotTheNameItself) {
  Plan plan = PlanOfRules({RuleOf("w", {"*.example.com"})});
  EXPECT_EQ(NameFor(plan, "a.example.com"), "w");
  EXPECT_EQ(NameFor(plan, "a.b.c.example.com"), "w");
  for (const char* other : {"example.com", "notexample.com", "example.com.evil.net", ".com", "com"})
    EXPECT_EQ(NameFor(plan, other), "") << other;
}

TEST(MatchTest, TheFirstRuleOfTheListWinsHoweverItNamesTheHost) {
  Plan plan = PlanOfRules({RuleOf("deep", {"*.b.example.com"}), RuleOf("wild", {"*.example.com"}),
                           RuleOf("exact", {"a.example.com"})});
  EXPECT_EQ(NameFor(plan, "a.example.com"), "wild");
  EXPECT_EQ(NameFor(plan, "a.b.example.com"), "deep");
  std::swap(plan.rules[0], plan.rules[2]);
  EXPECT_EQ(NameFor(plan, "a.example.com"), "exact");
  EXPECT_EQ(NameFor(plan, "a.b.example.com"), "wild");
}

TEST(MatchTest, ARuleWhosePathsDoNotFitLeavesTheRequestToTheNext) {
  Plan plan = PlanOfRules({RuleOf("models", {"a.com"}, {"/v1/models", "/v1/models/*"}),
                           RuleOf("files", {"*.com"}, {"/files/*"}), RuleOf("rest", {"a.com"})});
  EXPECT_EQ(NameFor(plan, "a.com", "/v1/models"), "models");
  EXPECT_EQ(NameFor(plan, "a.com", "/v1/models/x"), "models");
  EXPECT_EQ(NameFor(plan, "a.com", "/files/x"), "files");
  EXPECT_EQ(NameFor(plan, "a.com", "/v1/modelsx"), "rest");
  EXPECT_EQ(NameFor(plan, "b.com", "/other"), "");
}

TEST(MatchTest, ASecretForOnePathIsNotSentToAnother) {
  Plan plan = PlanOfRules({RuleOf("public", {"a.com"}, {"/public/*"})});
  EXPECT_EQ(NameFor(plan, "a.com", "/public/x"), "public");
  for (const char* path : {"/public/../admin", "/public/%2e%2e/admin", "/public/..%2fadmin",
                           "/public%2fx", "/public/..;/admin", "//public/x", "/public\\..\\admin"})
    EXPECT_EQ(NameFor(plan, "a.com", path), "") << path;
}

TEST(MatchTest, AnAddressMatchesOnlyItself) {
  Plan plan = PlanOfRules({RuleOf("w", {"*.0.0.1", "*.1"}), RuleOf("ip", {"127.0.0.1"})});
  EXPECT_EQ(NameFor(plan, "127.0.0.1"), "ip");
  EXPECT_EQ(NameFor(plan, "10.0.0.1"), "");
}

TEST(MatchTest, MatchesHostsOfRulesAndCallbacks) {
  Plan plan = PlanOfRules({RuleOf("r", {"a.com"}, {"/only/here"})});
  plan.callbacks = {CallbackOf("one", {"*.b.com"}), CallbackOf("two", {"x.b.com", "c.com"})};
  Matcher matcher(plan);
  EXPECT_TRUE(matcher.MatchesHost("a.com"));  // some of its requests are for the rule
  EXPECT_TRUE(matcher.MatchesHost("x.b.com"));
  EXPECT_TRUE(matcher.MatchesHost("c.com"));
  EXPECT_FALSE(matcher.MatchesHost("b.com"));
  EXPECT_FALSE(matcher.MatchesHost("d.com"));
  EXPECT_EQ(matcher.CallbackFor("x.b.com"), &plan.callbacks[0]);
  EXPECT_EQ(matcher.CallbackFor("c.com"), &plan.callbacks[1]);
  EXPECT_EQ(matcher.CallbackFor("a.com"), nullptr);
}

TEST(MatchTest, FindsItsWayAmongTenThousandRules) {
  Plan plan;
  for (int i = 0; i < 10'000; ++i) {
    std::string number = std::to_string(i);
    plan.rules.push_back(
        RuleOf(number, {"host" + number + ".com", "*.shared.com"}, {"/" + number + "/*"}));
  }
  Matcher matcher(plan);
  for (int i = 0; i < 10'000; i += 997) {
    std::string number = std::to_string(i);
    EXPECT_EQ(matcher.RuleFor("host" + number + ".com", "/" + number + "/x")->name, number);
    EXPECT_EQ(matcher.RuleFor("a.b.shared.com", "/" + number + "/x")->name, number);
  }
  EXPECT_EQ(matcher.RuleFor("host1.com", "/2/x"), nullptr);
}

TEST(MatchTest, HostsThatAreNoHostsMatchNothing) {
  Plan plan = PlanOfRules({RuleOf("odd", {"", "*.", "*"})});
  Matcher matcher(plan);
  for (std::string host : {std::string(), std::string("a.com"), std::string("."),
                           std::string(100'000, '.'), "a" + std::string(300, 'b') + ".com"})
    EXPECT_FALSE(matcher.MatchesHost(host)) << host.size();
}

TEST(HeaderCheckTest, FramingHopsAndHostsAreTheGatewaysOwn) {
  for (const char* name :
       {"Host", "content-length", "CONNECTION", "Transfer-Encoding", "te", "Upgrade",
        "Proxy-Authorization", "proxy-anything", "Keep-Alive", "Trailer"})
    EXPECT_TRUE(IsReservedHeader(name)) << name;
  for (const char* name : {"Authorization", "X-Api-Key", "Cookie", "Proxy", "X-Host", "Tea"})
    EXPECT_FALSE(IsReservedHeader(name)) << name;
}

TEST(HeaderCheckTest, NamesAreTokensAndValuesOneLine) {
  EXPECT_TRUE(IsHeaderName("X-Api_Key.1"));
  for (std::string name : {std::string(), std::string(":path"), std::string("a b"),
                           std::string("a:"), std::string("a\r\n"), std::string(300, 'a')})
    EXPECT_FALSE(IsHeaderName(name)) << name;
  EXPECT_TRUE(IsHeaderValue("Bearer a\tb \xc3\xa9"));
  EXPECT_TRUE(IsHeaderValue(""));
  for (std::string value : {std::string("a\r\nX: y"), std::string("a\n"), std::string("a\0b", 3),
                            std::string("\x1b[1m"), std::string("a\x7f")})
    EXPECT_FALSE(IsHeaderValue(value));
}

}  // namespace
}  // namespace viv::gateway
