#include "gateway/rules/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/rules/rules_test_support.h"

namespace viv::gateway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CredentialsTest : public ::testing::Test {
 protected:
  // A plan with one rule with these headers for a.com.
  Plan Adding(std::vector<SetHeader> headers) {
    HeaderRule rule;
    rule.name = "github";
    rule.hosts = {"a.com"};
    rule.headers = std::move(headers);
    Plan plan;
    plan.rules = {std::move(rule)};
    return plan;
  }

  Plan Aws() {
    ProviderAuth auth;
    auth.access_key_id = Reference("{ID}");
    auth.secret_access_key = Reference("{KEY}");
    HeaderRule rule;
    rule.name = "cloud";
    rule.hosts = {"*.amazonaws.com"};
    rule.provider = auth;
    Plan plan;
    plan.rules = {std::move(rule)};
    fixture_.secrets.values = {{"{ID}", "AKIDEXAMPLE"}, {"{KEY}", std::string(kCanary)}};
    return plan;
  }

  RulesFixture fixture_;
};

TEST_F(CredentialsTest, AddTheHeadersOfTheRule) {
  fixture_.secrets.values["{TOKEN}"] = "s3cret";
  auto credentials = fixture_.For(
      Adding({{"Authorization", Reference("{TOKEN}")}, {"X-Plain", PlainText("yes")}}));
  RequestHead head = RequestTo("a.com");
  auto applied = ApplyTo(*credentials, head);
  ASSERT_TRUE(applied);
  EXPECT_EQ(applied->rule, "header rule github");
  EXPECT_EQ(head.headers.Get("authorization"), "s3cret");
  EXPECT_EQ(head.headers.Get("x-plain"), "yes");
  EXPECT_EQ(fixture_.secrets.accounts.front(), "account1");
}

TEST_F(CredentialsTest, ReplaceEveryHeaderOfTheSameNameThatTheGuestSent) {
  auto credentials = fixture_.For(Adding({{"Authorization", PlainText("ours")}}));
  RequestHead head = RequestTo("a.com");
  head.headers.Add("authorization", "guest one");
  head.headers.Add("AUTHORIZATION", "guest two");
  head.headers.Add("X-Other", "stays");
  ASSERT_TRUE(ApplyTo(*credentials, head));
  EXPECT_EQ(head.headers.size(), 2u);
  EXPECT_EQ(head.headers.Get("authorization"), "ours");
  EXPECT_EQ(head.headers.Get("x-other"), "stays");
}

TEST_F(CredentialsTest, AddNothingWhereNoRuleIs) {
  auto credentials = fixture_.For(Adding({{"Authorization", PlainText("ours")}}));
  RequestHead head = RequestTo("b.com");
  auto applied = ApplyTo(*credentials, head);
  ASSERT_TRUE(applied);
  EXPECT_EQ(applied->rule, "");
  EXPECT_EQ(head.headers.size(), 0u);
  EXPECT_TRUE(credentials->AppliesToHost("a.com"));
  EXPECT_FALSE(credentials->AppliesToHost("b.com"));
}

TEST_F(CredentialsTest, HostsOfThePlanCompareWithoutRegardToCase) {
  Plan plan = Adding({{"X", PlainText("y")}});
  plan.rules[0].hosts = {"API.Example.COM", "b.com."};
  auto credentials = fixture_.For(plan);
  EXPECT_TRUE(credentials->AppliesToHost("api.example.com"));
  EXPECT_TRUE(credentials->AppliesToHost("b.com"));
}

TEST_F(CredentialsTest, ANewValueTakesEffectWithTheNextRequest) {
  auto credentials = fixture_.For(Adding({{"X-Key", Reference("{K}")}}));
  for (const char* value : {"one", "two"}) {
    fixture_.secrets.values["{K}"] = value;
    RequestHead head = RequestTo("a.com");
    ASSERT_TRUE(ApplyTo(*credentials, head));
    EXPECT_EQ(head.headers.Get("x-key"), value);
  }
}

TEST_F(CredentialsTest, AMissingSecretStopsTheRequestAndIsNamed) {
  auto credentials = fixture_.For(Adding({{"X-Key", Reference("{GONE}")}}));
  RequestHead head = RequestTo("a.com");
  auto applied = ApplyTo(*credentials, head);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().status, 502);
  EXPECT_EQ(applied.error().message,
            "secret '{GONE}' not found among the account's secrets: set it, or change header rule "
            "github");
}

TEST_F(CredentialsTest, OtherFailuresOfTheSecretsAreNotToldToTheGuest) {
  auto credentials = fixture_.For(Adding({{"X-Key", {SecretText::Kind::kSealed, "broken", "p"}}}));
  RequestHead head = RequestTo("a.com");
  auto applied = ApplyTo(*credentials, head);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().message,
            "a secret of header rule github cannot be opened: set it again");
}

TEST_F(CredentialsTest, AValueThatWouldBecomeAnotherHeaderIsNotSent) {
  for (std::string value : {std::string(kCanary) + "\r\nX-Evil: 1", std::string(kCanary) + "\n",
                            std::string(kCanary) + '\0', "\r" + std::string(kCanary)}) {
    fixture_.secrets.values["{K}"] = value;
    auto credentials = fixture_.For(Adding({{"X-Key", Reference("{K}")}}));
    RequestHead head = RequestTo("a.com");
    auto applied = ApplyTo(*credentials, head);
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().status, 502);
    EXPECT_THAT(applied.error().message, HasSubstr("X-Key"));
    EXPECT_THAT(applied.error().message, Not(HasSubstr(std::string(kCanary))));
  }
}

TEST_F(CredentialsTest, HeadersThatAreTheGatewaysOwnAreNotSet) {
  for (const char* name : {"Host", "Content-Length", "transfer-encoding", ":path", "", "a b"}) {
    auto credentials = fixture_.For(Adding({{name, PlainText("x")}}));
    RequestHead head = RequestTo("a.com");
    auto applied = ApplyTo(*credentials, head);
    ASSERT_FALSE(applied) << name;
    EXPECT_EQ(applied.error().status, 502);
    EXPECT_EQ(head.headers.size(), 0u);
  }
}

TEST_F(CredentialsTest, AMethodWhoseAnswerEchoesTheRequestGetsNoCredentials) {
  auto credentials = fixture_.For(Adding({{"X-Key", PlainText("y")}}));
  for (const char* method : {"TRACE", "trace", "TRACK"}) {
    RequestHead head = RequestTo("a.com");
    head.method = method;
    auto applied = ApplyTo(*credentials, head);
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().status, 403);
    RequestHead other = RequestTo("b.com");
    other.method = method;
    EXPECT_TRUE(ApplyTo(*credentials, other));
  }
}

TEST_F(CredentialsTest, SignRequestsToAws) {
  auto credentials = fixture_.For(Aws());
  RequestHead head = RequestTo("dynamodb.eu-west-1.amazonaws.com");
  head.method = "POST";
  head.has_body = true;
  head.headers.Add("Authorization", "placeholder");
  Destination to{head.authority, 443, true};
  EXPECT_EQ(credentials->NeedsBody(head, to), Credentials::Body::kWhole);
  auto applied = ApplyTo(*credentials, head, "{}");
  ASSERT_TRUE(applied);
  EXPECT_EQ(applied->rule, "aws rule cloud");
  std::string authorization(head.headers.Get("authorization"));
  EXPECT_THAT(authorization, HasSubstr("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"));
  EXPECT_THAT(authorization, HasSubstr("/eu-west-1/dynamodb/aws4_request"));
  EXPECT_THAT(authorization, Not(HasSubstr(std::string(kCanary))));
}

TEST_F(CredentialsTest, UploadsToS3AreStreamedUnsigned) {
  auto credentials = fixture_.For(Aws());
  RequestHead head = RequestTo("bucket.s3.amazonaws.com", "/key");
  head.method = "PUT";
  head.has_body = true;
  EXPECT_EQ(credentials->NeedsBody(head, {head.authority, 443, true}),
            Credentials::Body::kNotNeeded);
  ASSERT_TRUE(ApplyTo(*credentials, head));
  EXPECT_EQ(head.headers.Get("x-amz-content-sha256"), "UNSIGNED-PAYLOAD");
}

TEST_F(CredentialsTest, APresignedRequestIsLeftAlone) {
  auto credentials = fixture_.For(Aws());
  RequestHead head = RequestTo("bucket.s3.amazonaws.com", "/key?X-Amz-Signature=00");
  auto applied = ApplyTo(*credentials, head);
  ASSERT_TRUE(applied);
  EXPECT_EQ(applied->rule, "");
  EXPECT_EQ(head.headers.size(), 0u);
}

TEST_F(CredentialsTest, WhatCannotBeSignedIsNotSent) {
  auto credentials = fixture_.For(Aws());
  RequestHead large = RequestTo("sqs.us-east-1.amazonaws.com");
  large.has_body = true;
  auto applied = ApplyTo(*credentials, large, "begin", true);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().status, 413);

  RequestHead chunks = RequestTo("bucket.s3.amazonaws.com");
  chunks.has_body = true;
  chunks.headers.Add("x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
  applied = ApplyTo(*credentials, chunks);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().status, 400);

  fixture_.secrets.values["{KEY}"] = "";
  RequestHead keyless = RequestTo("sqs.us-east-1.amazonaws.com");
  applied = ApplyTo(*credentials, keyless);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().status, 502);

  fixture_.secrets.values.erase("{ID}");
  applied = ApplyTo(*credentials, keyless);
  ASSERT_FALSE(applied);
  EXPECT_THAT(applied.error().message, HasSubstr("{ID}"));
}

TEST_F(CredentialsTest, ARoleIsNotTakenAndSaysWhatToDo) {
  Plan plan = Aws();
  plan.rules[0].provider = ProviderAuth();
  auto credentials = fixture_.For(plan);
  RequestHead head = RequestTo("sqs.us-east-1.amazonaws.com");
  head.has_body = true;
  EXPECT_EQ(credentials->NeedsBody(head, {head.authority, 443, true}),
            Credentials::Body::kNotNeeded);
  auto applied = ApplyTo(*credentials, head);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().status, 502);
  EXPECT_THAT(applied.error().message, HasSubstr("role"));
  EXPECT_THAT(applied.error().message, HasSubstr("access_key_id"));
  EXPECT_EQ(applied.error().rule, "aws rule cloud");
  applied = ApplyTo(*credentials, head, {}, false, false);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().status, 403);
  // A request that is signed already needs no keys.
  RequestHead presigned = RequestTo("bucket.s3.amazonaws.com", "/key?X-Amz-Signature=00");
  EXPECT_TRUE(ApplyTo(*credentials, presigned));
}

TEST_F(CredentialsTest, ARefusalNamesTheRuleItIsFor) {
  auto missing = fixture_.For(Adding({{"X-Key", Reference("{GONE}")}}));
  auto broken = fixture_.For(Adding({{"X-Key", PlainText("a\nb")}}));
  for (Credentials* credentials : {missing.get(), broken.get()}) {
    for (const char* method : {"GET", "TRACE"}) {
      RequestHead head = RequestTo("a.com");
      head.method = method;
      auto applied = ApplyTo(*credentials, head);
      ASSERT_FALSE(applied);
      EXPECT_EQ(applied.error().rule, "header rule github");
    }
  }
  Plan asking;
  asking.callbacks.resize(1);
  asking.callbacks[0].hosts = {"a.com"};
  asking.callbacks[0].url = "http://127.0.0.1:1/";
  auto nowhere = fixture_.For(asking);
  RequestHead head = RequestTo("a.com");
  auto applied = ApplyTo(*nowhere, head);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().rule, "callback a.com");
}

TEST_F(CredentialsTest, ProvidersAreNotSpokenToInTheClear) {
  auto credentials = fixture_.For(Aws());
  RequestHead head = RequestTo("sqs.us-east-1.amazonaws.com");
  auto applied = ApplyTo(*credentials, head, {}, false, false);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().status, 403);
  EXPECT_THAT(applied.error().message, HasSubstr("https://"));
  EXPECT_EQ(head.headers.size(), 0u);
}

}  // namespace
}  // namespace viv::gateway
