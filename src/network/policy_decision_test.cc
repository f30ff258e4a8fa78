#include <gtest/gtest.h>

#include "network/policy.h"

namespace viv::network {
namespace {

Rules CompiledRules(const Policy& policy) {
  auto rules = Rules::Compile(policy);
  EXPECT_TRUE(rules.has_value()) << (rules ? "" : rules.error().message);
  return rules ? *rules : Rules();
}

std::string RuleFor(const Policy& policy,
                    std::string_view name,
                    std::string_view address,
                    std::uint16_t port = 443) {
  Rules rules = CompiledRules(policy);
  Decision decision = rules.Decide(name, *ParseAddress(address), port);
  EXPECT_EQ(decision.allowed, rules.Allows(name, address, port));
  return (decision.allowed ? "+" : "-") + decision.rule;
}

TEST(PolicyDecisionTest, SaysWhichEntryDecided) {
  const Policy policy{
      {"api.example.com", "*.fine.org:443", "a-*.org", "~re[dt]\\.org", "192.0.2.7",
       "198.51.100.0/24", "203.0.*", "192.0.2.8:443", "[2001:db8::1]:443", "2001:db8:1::/48"},
      {"0.0.0.0/0"},
      true};
  EXPECT_EQ(RuleFor(policy, "API.example.com.", "1.1.1.1"), "+allow api.example.com");
  EXPECT_EQ(RuleFor(policy, "x.y.fine.org", "1.1.1.1"), "+allow *.fine.org:443");
  EXPECT_EQ(RuleFor(policy, "a-b.org", "1.1.1.1"), "+allow a-*.org");
  EXPECT_EQ(RuleFor(policy, "red.org", "1.1.1.1"), "+allow ~re[dt]\\.org");
  EXPECT_EQ(RuleFor(policy, "", "192.0.2.7"), "+allow 192.0.2.7");
  EXPECT_EQ(RuleFor(policy, "any.org", "198.51.100.9"), "+allow 198.51.100.0/24");
  EXPECT_EQ(RuleFor(policy, "", "203.0.1.2"), "+allow 203.0.*");
  EXPECT_EQ(RuleFor(policy, "", "192.0.2.8"), "+allow 192.0.2.8:443");
  EXPECT_EQ(RuleFor(policy, "", "2001:db8::1"), "+allow [2001:db8::1]:443");
  EXPECT_EQ(RuleFor(policy, "", "2001:db8:1::9"), "+allow 2001:db8:1::/48");
  EXPECT_EQ(RuleFor(policy, "x.fine.org", "1.1.1.1", 80), "-deny 0.0.0.0/0");
  EXPECT_EQ(RuleFor(policy, "", "192.0.2.8", 80), "-deny 0.0.0.0/0");
}

TEST(PolicyDecisionTest, SaysWhenNoEntryDid) {
  EXPECT_EQ(RuleFor({}, "a.org", "1.1.1.1"), "+default");
  EXPECT_EQ(RuleFor({{"b.org"}, {}, false}, "a.org", "1.1.1.1"), "-no internet");
  EXPECT_EQ(RuleFor({{}, {"*"}, true}, "", "1.1.1.1"), "-deny *");
  EXPECT_EQ(RuleFor({{}, {"8.8.8.8"}, true}, "", "64:ff9b::8.8.8.8"), "-deny 8.8.8.8");
}

TEST(PolicyDecisionTest, SaysWhatDecidedAboutAQuestion) {
  Rules rules = CompiledRules({{"good.org:443"}, {"bad.org", "half.org:80"}, true});
  EXPECT_EQ(rules.DecideQuestion("Good.org.").rule, "allow good.org:443");
  EXPECT_EQ(rules.DecideQuestion("bad.org").rule, "deny bad.org");
  EXPECT_FALSE(rules.DecideQuestion("bad.org").allowed);
  EXPECT_EQ(rules.DecideQuestion("half.org").rule, "default");
  EXPECT_EQ(CompiledRules({{}, {"0.0.0.0/0"}, true}).DecideQuestion("a.org").rule,
            "deny 0.0.0.0/0");
  EXPECT_EQ(CompiledRules({{}, {}, false}).DecideQuestion("a.org").rule, "no internet");
}

TEST(PolicyDecisionTest, KnowsWhetherItHasNameEntries) {
  for (const char* entry : {"a.org", "*.a.org", "a*.org", "~a", "a.org:443", "*.org"}) {
    EXPECT_TRUE(CompiledRules({{entry}, {}, false}).HasNameEntries()) << entry;
    EXPECT_TRUE(CompiledRules({{}, {entry}, true}).HasNameEntries()) << entry;
  }
  for (const char* entry : {"*", "*:443", "1.2.3.4", "0.0.0.0/0", "10.0.*", "[::1]:443"})
    EXPECT_FALSE(CompiledRules({{entry}, {entry}, true}).HasNameEntries()) << entry;
  EXPECT_FALSE(Rules().HasNameEntries());
}

TEST(PolicyDecisionTest, KnowsWhichHostsItHasEntriesFor) {
  Rules rules = CompiledRules({{"*", "a.org", "*.b.org:443"}, {"c*.org", "~d.*"}, true});
  for (const char* host : {"a.org", "x.b.org", "cc.org", "dd.org"})
    EXPECT_TRUE(rules.HasEntryForHost(host, 443)) << host;
  for (const char* host : {"b.org", "e.org", "x.a.org", ""})
    EXPECT_FALSE(rules.HasEntryForHost(host, 443)) << host;
  EXPECT_FALSE(rules.HasEntryForHost("x.b.org", 80));
}

}  // namespace
}  // namespace viv::network
