#include "dialects/langsmith/provider_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialects/langsmith/test_support.h"

namespace viv::langsmith {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr char kAwsRule[] =
    R"({"name": "a", "type": "aws", "aws": {
        "access_key_id": {"type": "opaque", "value": "AKIDREAL"},
        "secret_access_key": {"type": "opaque", "value": "s3cret"}}})";
constexpr char kAwsRoleRule[] =
    R"({"name": "a", "type": "aws", "aws": {"role_arn": "arn:aws:iam::1:role/r"}})";
constexpr char kAwsRuleOff[] =
    R"({"name": "a", "type": "aws", "enabled": false,
        "aws": {"role_arn": "arn:aws:iam::1:role/r"}})";
constexpr char kGcpRule[] =
    R"({"name": "g", "type": "gcp", "gcp": {"scopes": ["s"],
        "service_account_json": {"type": "opaque", "value": "{}"}}})";

class ProviderVariablesTest : public LangsmithTest {
 protected:
  static std::string BoxOf(const std::string& rules, const std::string& more = "") {
    return R"({"name": "one", "proxy_config": {"rules": [)" + rules + "]}" + more + "}";
  }
  std::string Create(const std::string& body) {
    ParsedResponse response = Call("POST", "/boxes", body);
    EXPECT_EQ(response.status, 201) << response.text;
    return *boxes::BoxOfUuid(response.Text("id"));
  }
  Variables Of(const std::string& id) { return At(id).spec.variables; }
};

TEST_F(ProviderVariablesTest, AnEnabledRuleGivesWhatTheSdksOfItsProviderNeed) {
  for (const char* rule : {kAwsRule, kAwsRoleRule}) {
    Variables variables = Of(Create(BoxOf(rule)));
    EXPECT_THAT(variables["AWS_ACCESS_KEY_ID"], MatchesRegex("[A-Z0-9]{20}"));
    EXPECT_EQ(variables["AWS_SECRET_ACCESS_KEY"].size(), 40u);
    EXPECT_EQ(variables["AWS_EC2_METADATA_DISABLED"], "true");
    EXPECT_EQ(variables["AWS_CA_BUNDLE"], "/etc/ssl/certs/ca-certificates.crt");
    EXPECT_EQ(variables.size(), 4u);
    EXPECT_EQ(Call("DELETE", "/boxes/one").status, 204);
  }
  Variables variables = Of(Create(BoxOf(kGcpRule)));
  EXPECT_EQ(variables.size(), 2u);
  EXPECT_NE(variables["CLOUDSDK_AUTH_ACCESS_TOKEN"], "");
  EXPECT_EQ(variables["CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE"], "/etc/ssl/certs/ca-certificates.crt");
}

TEST_F(ProviderVariablesTest, ComeAndGoWithTheRule) {
  const std::string id = Create(BoxOf(kAwsRuleOff, R"(, "env_vars": {"A": "1"})"));
  EXPECT_EQ(Of(id), (Variables{{"A", "1"}}));
  auto patch = [&](const std::string& rules) {
    ParsedResponse response =
        Call("PATCH", "/boxes/one", R"({"proxy_config": {"rules": [)" + rules + "]}}");
    EXPECT_EQ(response.status, 200) << response.text;
    return Of(id);
  };
  EXPECT_EQ(patch(std::string(kAwsRule) + "," + kGcpRule).size(), 7u);
  EXPECT_EQ(patch(kGcpRule).count("AWS_ACCESS_KEY_ID"), 0u);
  EXPECT_EQ(patch(kAwsRuleOff), (Variables{{"A", "1"}}));
}

TEST_F(ProviderVariablesTest, AreAboveEveryOtherLayer) {
  const std::string id = Create(
      BoxOf(kAwsRule, R"(, "run_config": {"env_vars": {"AWS_ACCESS_KEY_ID": "run", "B": "1"}})"));
  EXPECT_NE(Of(id).at("AWS_ACCESS_KEY_ID"), "run");
  EXPECT_EQ(Of(id).at("B"), "1");
  // So are those of a rule that comes later than the box's own.
  Call("DELETE", "/boxes/one");
  const std::string own = Create(R"({"name": "one", "env_vars": {"AWS_ACCESS_KEY_ID": "box"}})");
  EXPECT_EQ(Of(own).at("AWS_ACCESS_KEY_ID"), "box");
  EXPECT_EQ(Call("PATCH", "/boxes/one", BoxOf(kAwsRule)).status, 200);
  EXPECT_NE(Of(own).at("AWS_ACCESS_KEY_ID"), "box");
}

TEST_F(ProviderVariablesTest, TheBoxsOwnOfTheSameNameAreRefused) {
  struct Case {
    const char *rule, *name;
    int status;
  };
  for (const auto& [rule, name, status] :
       {Case{kAwsRule, "AWS_ACCESS_KEY_ID", 422}, Case{kAwsRoleRule, "AWS_SECRET_ACCESS_KEY", 422},
        Case{kAwsRule, "AWS_SESSION_TOKEN", 422}, Case{kAwsRule, "AWS_EC2_METADATA_DISABLED", 422},
        Case{kAwsRule, "AWS_CA_BUNDLE", 422}, Case{kAwsRule, "CLOUDSDK_AUTH_ACCESS_TOKEN", 201},
        Case{kAwsRule, "AWS_REGION", 201}, Case{kAwsRuleOff, "AWS_ACCESS_KEY_ID", 201},
        Case{kGcpRule, "AWS_ACCESS_KEY_ID", 201}, Case{kGcpRule, "CLOUDSDK_AUTH_ACCESS_TOKEN", 422},
        Case{kGcpRule, "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", 422}}) {
    ParsedResponse response = Call(
        "POST", "/boxes", BoxOf(rule, R"(, "env_vars": {")" + std::string(name) + R"(": "x"})"));
    EXPECT_EQ(response.status, status) << name << " " << rule;
    if (status == 201) {
      EXPECT_EQ(Call("DELETE", "/boxes/one").status, 204);
      continue;
    }
    EXPECT_EQ(response.field(), "env_vars");
    EXPECT_THAT(response.message(), HasSubstr(name));
  }
}

}  // namespace
}  // namespace viv::langsmith
