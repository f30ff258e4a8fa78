#include "gateway/rules/plan.h"

#include <gtest/gtest.h>

namespace viv::gateway {
namespace {

TEST(PlanTest, ComesBackFromItsRecordAsItWas) {
  Plan plan;
  plan.rules.push_back({"github",
                        {"api.github.com", "*.github.com"},
                        {"/repos/*"},
                        {{"Authorization", {SecretText::Kind::kSealed, "v1.x", "langsmith:a"}},
                         {"X-Plain", {SecretText::Kind::kPlain, "yes", ""}},
                         {"X-Reference", {SecretText::Kind::kBraceReferences, "Bearer {KEY}", ""}}},
                        std::nullopt,
                        {{"authorization", "Bearer one"}, {"x-team", ""}}});
  ProviderAuth aws;
  aws.access_key_id = {SecretText::Kind::kBraceReferences, "{ID}", ""};
  aws.secret_access_key = {SecretText::Kind::kSealed, "v1.y", "p"};
  plan.rules.push_back({"aws", {"*.amazonaws.com"}, {}, {}, aws});
  ProviderAuth gcp;
  gcp.provider = ProviderAuth::Provider::kGcp;
  gcp.service_account = {SecretText::Kind::kSealed, "v1.z", "p"};
  gcp.scopes = {"a", "b"};
  plan.rules.push_back({"gcp", {"*.googleapis.com"}, {}, {}, gcp});
  plan.callbacks.push_back(
      {{"c.example.com"},
       "https://me.example/hook",
       90,
       true,
       {{"X-Key", {SecretText::Kind::kDollarReferences, "${e2b.secrets.k}", ""}}}});
  plan.proxy = UpstreamProxy{"proxy.example:1080", "me", {SecretText::Kind::kSealed, "v1.w", "p"}};
  EXPECT_EQ(PlanOf(PlanToJson(plan)), plan);
}

TEST(PlanTest, OfNothingIsNull) {
  EXPECT_TRUE(PlanToJson({}).is_null());
  EXPECT_EQ(PlanOf(nullptr), Plan());
  EXPECT_FALSE(Plan().intercepts());
  Plan listed;
  listed.rules.push_back({"a.com", {"a.com"}, {}, {}, std::nullopt});
  EXPECT_FALSE(listed.intercepts());
  listed.rules[0].headers = {{"X-Key", {}}};
  EXPECT_TRUE(listed.intercepts());
}

TEST(PlanTest, AnUnknownKindIsNeverSentAsPlainText) {
  auto record = ParseJson(
      R"({"rules": [{"hosts": ["a.com"], "headers": [{"name": "X", "kind": "vault", "text": "k"}]}]})");
  ASSERT_TRUE(record);
  const Plan plan = PlanOf(*record);
  EXPECT_EQ(plan.rules.at(0).headers.at(0).value.kind, SecretText::Kind::kSealed);
}

TEST(PlanTest, BrokenRecordsGiveAnEmptyPlan) {
  for (const char* text : {"[]", "1", R"({"rules": 1, "callbacks": {}, "proxy": []})",
                           R"({"rules": {}, "callbacks": "x"})"})
    EXPECT_EQ(PlanOf(*ParseJson(text)), Plan()) << text;
}

}  // namespace
}  // namespace viv::gateway
