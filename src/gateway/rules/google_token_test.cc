#include "gateway/rules/google_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include "base/base64.h"
#include "base/text.h"
#include "gateway/rules/rules_test_support.h"

namespace viv::gateway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

KeyPtr RsaKey() {
  return KeyPtr(EVP_RSA_gen(2048));
}

std::string ServiceAccount(const EVP_PKEY& key, std::string token_uri) {
  return WriteJson(json::object{{"type", "service_account"},
                                {"client_email", "robot@project.example"},
                                {"private_key_id", "key1"},
                                {"private_key", PemOfKey(key)},
                                {"token_uri", std::move(token_uri)}});
}

bool VerifiesRs256(std::string_view token, EVP_PKEY* key) {
  auto parts = Split(token, '.');
  std::string_view message = token.substr(0, parts[0].size() + 1 + parts[1].size());
  std::string signature = *DecodeBase64(parts[2]);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  bool good =
      EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key) == 1 &&
      EVP_DigestVerify(context, reinterpret_cast<const unsigned char*>(signature.data()),
                       signature.size(), reinterpret_cast<const unsigned char*>(message.data()),
                       message.size()) == 1;
  EVP_MD_CTX_free(context);
  return good;
}

class GoogleTokenTest : public ::testing::Test {
 protected:
  std::unique_ptr<Credentials> CredentialsFor(std::string account) {
    ProviderAuth auth;
    auth.provider = ProviderAuth::Provider::kGcp;
    auth.service_account = Reference("{ACCOUNT}");
    auth.scopes = {"scope/a", "scope/b"};
    HeaderRule rule;
    rule.name = "google";
    rule.hosts = {"googleapis.com", "*.googleapis.com"};
    rule.provider = auth;
    Plan plan;
    plan.rules = {std::move(rule)};
    fixture_.secrets.values["{ACCOUNT}"] = std::move(account);
    return fixture_.For(std::move(plan));
  }

  RulesFixture fixture_;
  CallbackServer endpoint_{fixture_.origin.Secure()};
  KeyPtr key_ = RsaKey();
};

TEST_F(GoogleTokenTest, IsGotWithASignedAssertionAndUsedWhileItHolds) {
  endpoint_.Say(200,
                R"({"access_token": "ya29.token", "expires_in": 3599, "token_type": "Bearer"})");
  const std::string url = endpoint_.secure_url("/token");
  auto credentials = CredentialsFor(ServiceAccount(*key_, url));
  for (const char* host : {"storage.googleapis.com", "googleapis.com", "a.b.googleapis.com"}) {
    RequestHead head = RequestTo(host);
    head.headers.Add("authorization", "Bearer placeholder");
    auto applied = ApplyTo(*credentials, head);
    ASSERT_TRUE(applied) << applied.error().message;
    EXPECT_EQ(applied->rule, "gcp rule google");
    EXPECT_EQ(head.headers.size(), 1u);
    EXPECT_EQ(head.headers.Get("authorization"), "Bearer ya29.token");
  }
  auto asked = endpoint_.asked();
  ASSERT_EQ(asked.size(), 1u);
  constexpr std::string_view kBegin =
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=";
  ASSERT_TRUE(asked[0].body.starts_with(kBegin));
  EXPECT_EQ(asked[0].headers.Get("content-type"), "application/x-www-form-urlencoded");
  std::string assertion = asked[0].body.substr(kBegin.size());
  EXPECT_TRUE(VerifiesRs256(assertion, key_.get()));
  auto parts = Split(assertion, '.');
  json::value header = *ParseJson(*DecodeBase64(parts[0]));
  json::value claims = *ParseJson(*DecodeBase64(parts[1]));
  EXPECT_EQ(FindString(header, "alg"), "RS256");
  EXPECT_EQ(FindString(header, "kid"), "key1");
  EXPECT_EQ(FindString(claims, "iss"), "robot@project.example");
  EXPECT_EQ(FindString(claims, "scope"), "scope/a scope/b");
  EXPECT_EQ(FindString(claims, "aud"), url);
  EXPECT_EQ(claims.at("exp").as_int64(), claims.at("iat").as_int64() + 3600);
}

TEST_F(GoogleTokenTest, AnotherAccountTakesEffectAtOnce) {
  endpoint_.Say(200, R"({"access_token": "one", "expires_in": 3599})");
  auto credentials = CredentialsFor(ServiceAccount(*key_, endpoint_.secure_url("/a")));
  RequestHead head = RequestTo("storage.googleapis.com");
  ASSERT_TRUE(ApplyTo(*credentials, head));
  endpoint_.Say(200, R"({"access_token": "two", "expires_in": 3599})");
  fixture_.secrets.values["{ACCOUNT}"] = ServiceAccount(*key_, endpoint_.secure_url("/b"));
  ASSERT_TRUE(ApplyTo(*credentials, head));
  EXPECT_EQ(head.headers.Get("authorization"), "Bearer two");
}

TEST_F(GoogleTokenTest, FailuresSayWhatToLookAtAndNothingOfTheKey) {
  const std::pair<int, const char*> kBad[] = {{401, R"({"error": "invalid_grant"})"},
                                              {200, "garbage"},
                                              {200, R"({"access_token": 1})"},
                                              {200, R"({"access_token": "a\nb"})"},
                                              {302, R"({"access_token": "x"})"}};
  auto credentials = CredentialsFor(ServiceAccount(*key_, endpoint_.secure_url("/token")));
  for (const auto& [status, body] : kBad) {
    endpoint_.Say(status, body);
    RequestHead head = RequestTo("storage.googleapis.com");
    auto applied = ApplyTo(*credentials, head);
    ASSERT_FALSE(applied) << body;
    EXPECT_EQ(applied.error().status, 502);
    EXPECT_THAT(applied.error().message, HasSubstr("gcp rule google"));
    EXPECT_EQ(head.headers.size(), 0u);
  }
}

TEST_F(GoogleTokenTest, AServiceAccountThatIsNoneIsRefused) {
  for (std::string account :
       {std::string(kCanary), std::string("{}"), std::string(R"({"client_email": "a"})"),
        std::string(R"({"client_email": "a", "private_key": "canary-7f31c0ffee"})"),
        ServiceAccount(*key_, "http://plain.example/token"),
        ServiceAccount(*MakeTestIdentity({}, nullptr).key, "https://x.example/token")}) {
    auto request = GoogleTokenRequest(account, {"s"}, 1);
    ASSERT_FALSE(request) << account;
    EXPECT_THAT(request.error().message, Not(HasSubstr(std::string(kCanary))));
    auto credentials = CredentialsFor(account);
    RequestHead head = RequestTo("storage.googleapis.com");
    EXPECT_FALSE(ApplyTo(*credentials, head));
  }
}

TEST_F(GoogleTokenTest, IsRenewedFiveMinutesBeforeItsEnd) {
  auto lasting = [](const char* body) { return ReadGoogleToken({200, body})->ttl.count(); };
  EXPECT_EQ(lasting(R"({"access_token": "x", "expires_in": 3600})"), 3300);
  EXPECT_EQ(lasting(R"({"access_token": "x", "expires_in": 299})"), 0);
  EXPECT_EQ(lasting(R"({"access_token": "x", "expires_in": -1})"), 0);
  EXPECT_EQ(lasting(R"({"access_token": "x", "expires_in": "soon"})"), 0);
  EXPECT_EQ(lasting(R"({"access_token": "x", "expires_in": 9000000000})"), 12 * 3600 - 300);
}

TEST_F(GoogleTokenTest, IsNotSentInTheClear) {
  auto credentials = CredentialsFor(ServiceAccount(*key_, endpoint_.secure_url("/token")));
  RequestHead head = RequestTo("storage.googleapis.com");
  auto applied = ApplyTo(*credentials, head, {}, false, false);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().status, 403);
  EXPECT_TRUE(endpoint_.asked().empty());
}

}  // namespace
}  // namespace viv::gateway
