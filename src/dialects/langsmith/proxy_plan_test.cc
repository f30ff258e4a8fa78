#include "dialects/langsmith/proxy_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialects/langsmith/proxy_config.h"
#include "dialects/langsmith/test_support.h"

namespace viv::langsmith {
namespace {

using gateway::ProviderAuth;
using gateway::SecretText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ProxyPlanTest : public testing::Test {
 protected:
  accounts::Sealer server_sealer_{"the server's own secret"};
  AccountSealer sealer_ = AccountSealerOf(server_sealer_, "account");

  gateway::Plan Planned(std::string_view given) {
    auto stored = StoreProxyConfig(*ParseJson(given), nullptr, sealer_);
    EXPECT_TRUE(stored.has_value()) << (stored ? "" : stored.error().message);
    return stored ? PlanOf(*stored, sealer_) : gateway::Plan();
  }
  std::string Opened(const SecretText& text) {
    EXPECT_EQ(text.kind, SecretText::Kind::kSealed);
    auto plain = server_sealer_.Open(text.purpose, text.text);
    return plain ? *plain : "does not open: " + plain.error().message;
  }
};

TEST_F(ProxyPlanTest, HeadersComeAsTheirTypeSays) {
  gateway::Plan plan = Planned(
      R"({"rules": [{"name": "github", "match_hosts": ["API.Example.com.", "*.example.com"],
          "match_paths": ["/v1/*", "/Users"],
          "match_headers": ["authorization: Bearer account-b", "x-team:red"],
          "headers": [{"name": "X-Plain", "type": "plaintext", "value": "shown {not} a reference"},
                      {"name": "Authorization", "type": "opaque", "value": "Bearer s3cret"},
                      {"name": "X-Key", "type": "workspace_secret", "value": "key {NAME}"}]}]})");
  ASSERT_EQ(plan.rules.size(), 1u);
  const gateway::HeaderRule& rule = plan.rules[0];
  EXPECT_EQ(rule.name, "github");
  EXPECT_THAT(rule.hosts, ElementsAre("api.example.com", "*.example.com"));
  EXPECT_THAT(rule.paths, ElementsAre("/v1/*", "/Users"));
  EXPECT_FALSE(rule.provider);
  EXPECT_THAT(rule.required_headers,
              ElementsAre(gateway::RequiredHeader{"authorization", "Bearer account-b"},
                          gateway::RequiredHeader{"x-team", "red"}));
  ASSERT_EQ(rule.headers.size(), 3u);
  EXPECT_EQ(
      rule.headers[0],
      (gateway::SetHeader{"X-Plain", {SecretText::Kind::kPlain, "shown {not} a reference", ""}}));
  EXPECT_EQ(rule.headers[1].name, "Authorization");
  EXPECT_EQ(Opened(rule.headers[1].value), "Bearer s3cret");
  EXPECT_EQ(rule.headers[2],
            (gateway::SetHeader{"X-Key", {SecretText::Kind::kBraceReferences, "key {NAME}", ""}}));
  EXPECT_THAT(WriteJson(gateway::PlanToJson(plan)), Not(HasSubstr("s3cret")));
}

TEST_F(ProxyPlanTest, EnabledRulesKeepTheirOrder) {
  gateway::Plan plan = Planned(
      R"({"rules": [{"name": "z", "match_hosts": ["a.com"]},
                    {"name": "off", "match_hosts": ["a.com"], "enabled": false},
                    {"name": "a", "match_hosts": ["a.com"], "enabled": true}]})");
  ASSERT_EQ(plan.rules.size(), 2u);
  EXPECT_EQ(plan.rules[0].name, "z");
  EXPECT_EQ(plan.rules[1].name, "a");
}

TEST_F(ProxyPlanTest, ProvidersHaveTheirHosts) {
  gateway::Plan plan = Planned(
      R"({"rules": [{"name": "aws", "type": "aws", "aws": {
            "access_key_id": {"type": "opaque", "value": "AKIA"},
            "secret_access_key": {"type": "workspace_secret", "value": "{AWS_KEY}"}}},
          {"name": "gcp", "type": "gcp", "gcp": {"scopes": ["s1", "s2"],
            "service_account_json": {"type": "opaque", "value": "{\"a\": 1}"}}}]})");
  ASSERT_EQ(plan.rules.size(), 2u);
  EXPECT_THAT(plan.rules[0].hosts, ElementsAre("*.amazonaws.com", "*.amazonaws.com.cn"));
  EXPECT_THAT(plan.rules[0].headers, IsEmpty());
  ASSERT_TRUE(plan.rules[0].provider);
  EXPECT_EQ(plan.rules[0].provider->provider, ProviderAuth::Provider::kAws);
  EXPECT_EQ(Opened(plan.rules[0].provider->access_key_id), "AKIA");
  EXPECT_EQ(plan.rules[0].provider->secret_access_key,
            (SecretText{SecretText::Kind::kBraceReferences, "{AWS_KEY}", ""}));
  EXPECT_EQ(plan.rules[0].provider->session_token, SecretText());
  EXPECT_THAT(plan.rules[1].hosts, ElementsAre("googleapis.com", "*.googleapis.com"));
  ASSERT_TRUE(plan.rules[1].provider);
  EXPECT_EQ(plan.rules[1].provider->provider, ProviderAuth::Provider::kGcp);
  EXPECT_EQ(Opened(plan.rules[1].provider->service_account), R"({"a": 1})");
  EXPECT_THAT(plan.rules[1].provider->scopes, ElementsAre("s1", "s2"));
}

TEST_F(ProxyPlanTest, ARuleOfARoleHasItsHostsAndNoKeys) {
  gateway::Plan plan = Planned(
      R"({"rules": [{"name": "role", "type": "aws",
                     "aws": {"role_arn": "arn:aws:iam::123456789012:role/r"}}]})");
  ASSERT_EQ(plan.rules.size(), 1u);
  EXPECT_THAT(plan.rules[0].hosts, ElementsAre("*.amazonaws.com", "*.amazonaws.com.cn"));
  EXPECT_EQ(plan.rules[0].provider, ProviderAuth());
}

TEST_F(ProxyPlanTest, HostsOfAProviderAreItsRulesWhereverThatStands) {
  gateway::Plan plan = Planned(
      R"({"rules": [{"name": "first", "match_hosts": ["s3.amazonaws.com"]},
                    {"name": "second", "match_hosts": ["*.googleapis.com"]},
                    {"name": "aws", "type": "aws", "aws": {"role_arn": "arn:aws:iam::1:role/r"}},
                    {"name": "gcp", "type": "gcp", "gcp": {"scopes": ["s"],
                      "service_account_json": {"type": "opaque", "value": "{}"}}}]})");
  std::vector<std::string> names;
  for (const gateway::HeaderRule& rule : plan.rules) names.push_back(rule.name);
  EXPECT_THAT(names, ElementsAre("aws", "gcp", "first", "second"));
}

TEST_F(ProxyPlanTest, SpacesInTheBracesOfAReferenceMeanNothing) {
  gateway::Plan plan = Planned(
      R"({"rules": [{"name": "r", "match_hosts": ["a.com"], "headers": [
          {"name": "A", "type": "workspace_secret", "value": " Key { MY_KEY }/{ID} {OTHER }."}]}]})");
  EXPECT_EQ(plan.rules.at(0).headers.at(0).value,
            (SecretText{SecretText::Kind::kBraceReferences, " Key {MY_KEY}/{ID} {OTHER}.", ""}));
}

TEST_F(ProxyPlanTest, Callbacks) {
  gateway::Plan plan = Planned(
      R"({"callbacks": [
          {"match_hosts": ["*.A.com"], "url": "https://a.com/t?x=1", "ttl_seconds": 3600,
           "full_request": true,
           "request_headers": [{"name": "X-A", "type": "opaque", "value": "s3cret"}]},
          {"match_hosts": ["b.com"], "url": "http://127.0.0.1:9", "ttl_seconds": 60}]})");
  ASSERT_EQ(plan.callbacks.size(), 2u);
  EXPECT_THAT(plan.callbacks[0].hosts, ElementsAre("*.a.com"));
  EXPECT_EQ(plan.callbacks[0].url, "https://a.com/t?x=1");
  EXPECT_EQ(plan.callbacks[0].ttl_seconds, 3600);
  EXPECT_TRUE(plan.callbacks[0].full_request);
  ASSERT_EQ(plan.callbacks[0].request_headers.size(), 1u);
  EXPECT_EQ(Opened(plan.callbacks[0].request_headers[0].value), "s3cret");
  EXPECT_FALSE(plan.callbacks[1].full_request);
  EXPECT_EQ(plan.callbacks[1].ttl_seconds, 60);
}

TEST_F(ProxyPlanTest, NoConfigIsNoPlan) {
  EXPECT_EQ(PlanOf(nullptr, sealer_), gateway::Plan());
  EXPECT_EQ(Planned("{}"), gateway::Plan());
  EXPECT_EQ(Planned(R"({"access_control": {"allow_list": ["a.com"]}})"), gateway::Plan());
}

// A plan that was kept is read back the same, so a box has it after any restart.
TEST_F(ProxyPlanTest, LastsInTheRecordOfABox) {
  gateway::Plan plan = Planned(
      R"({"rules": [{"name": "r", "match_hosts": ["a.com"], "headers": [
            {"name": "A", "type": "opaque", "value": "s"}]},
          {"name": "g", "type": "gcp", "gcp": {"scopes": ["s"],
            "service_account_json": {"type": "opaque", "value": "{}"}}}],
          "callbacks": [{"match_hosts": ["b.com"], "url": "https://b.com", "ttl_seconds": 90}]})");
  EXPECT_EQ(gateway::PlanOf(gateway::PlanToJson(plan)), plan);
}

class BoxPlanTest : public LangsmithTest {
 protected:
  std::string Create(const std::string& body) {
    ParsedResponse response = Call("POST", "/boxes", body);
    EXPECT_EQ(response.status, 201) << response.text;
    return *boxes::BoxOfUuid(response.Text("id"));
  }
};

constexpr char kPlannedBox[] =
    R"({"name": "one", "proxy_config": {"rules": [{"name": "r", "match_hosts": ["a.example"],
        "headers": [{"name": "Authorization", "type": "opaque", "value": "s3cret"}],
        "env_vars": {"GH_TOKEN": "placeholder"}}]}})";

TEST_F(BoxPlanTest, ABoxIsMadeWithItsPlan) {
  const std::string id = Create(kPlannedBox);
  const gateway::Plan& plan = At(id).spec.network.plan;
  ASSERT_EQ(plan.rules.size(), 1u);
  const SecretText& value = plan.rules[0].headers.at(0).value;
  EXPECT_EQ(account_secrets_.Reveal("mine", value).value(), "s3cret");
  EXPECT_EQ(At(id).spec.variables.at("GH_TOKEN"), "placeholder");
  EXPECT_EQ(At(Create(R"({"name": "two"})")).spec.network.plan, gateway::Plan());
}

TEST_F(BoxPlanTest, AnUpdateReplacesThePlan) {
  const std::string id = Create(kPlannedBox);
  const gateway::Plan before = At(id).spec.network.plan;
  // Other members leave it alone.
  EXPECT_EQ(Call("PATCH", "/boxes/one", R"({"idle_ttl_seconds": 120})").status, 200);
  EXPECT_EQ(At(id).spec.network.plan, before);
  // So does a value that is not sent again.
  ParsedResponse kept =
      Call("PATCH", "/boxes/one",
           R"({"proxy_config": {"rules": [{"name": "r", "match_hosts": ["a.example"],
                        "headers": [{"name": "Authorization", "type": "opaque"}]}]}})");
  EXPECT_EQ(kept.status, 200) << kept.text;
  EXPECT_EQ(At(id).spec.network.plan, before);
  EXPECT_EQ(At(id).spec.variables.count("GH_TOKEN"), 0u);
  // What is refused changes nothing.
  EXPECT_EQ(Call("PATCH", "/boxes/one", R"({"proxy_config": {"rules": [{"name": "r"}]}})").status,
            422);
  EXPECT_EQ(At(id).spec.network.plan, before);
  EXPECT_EQ(Call("PATCH", "/boxes/one", R"({"proxy_config": {}})").status, 200);
  EXPECT_EQ(At(id).spec.network.plan, gateway::Plan());
}

TEST_F(BoxPlanTest, AProxyOfAnotherDialectStays) {
  const std::string id = Create(kPlannedBox);
  const gateway::UpstreamProxy proxy{"proxy.example:1080", "me", {}};
  boxes_.Edit(id, [&](boxes::Box& box) { box.spec.network.plan.proxy = proxy; });
  EXPECT_EQ(Call("PATCH", "/boxes/one", R"({"proxy_config": {}})").status, 200);
  EXPECT_EQ(At(id).spec.network.plan.proxy, proxy);
  EXPECT_FALSE(At(id).spec.network.plan.intercepts());
}

TEST_F(BoxPlanTest, AForkHasThePlanAndItsSecretsOpen) {
  const std::string id = Create(kPlannedBox);
  auto forks = RunToEnd(boxes_.Fork("mine", id, 1, 60));
  ASSERT_TRUE(forks && forks->size() == 1 && forks->front());
  const gateway::Plan& plan = (*forks->front())->spec.network.plan;
  EXPECT_EQ(plan, At(id).spec.network.plan);
  EXPECT_EQ(account_secrets_.Reveal("mine", plan.rules.at(0).headers.at(0).value).value(),
            "s3cret");
}

}  // namespace
}  // namespace viv::langsmith
