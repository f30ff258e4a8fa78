#include "gateway/rules/callback_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include <fstream>

#include "base/base64.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/text.h"
#include "gateway/rules/crypto.h"
#include "gateway/rules/rules_test_support.h"

namespace viv::gateway {
namespace {

using ::testing::HasSubstr;

const unsigned char* RawBytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

json::value DecodedJson(std::string_view part) {
  return *ParseJson(*DecodeBase64(part));
}

// The claims of a token, verified as a callback does it: by the published key that it names.
std::optional<json::value> VerifiedClaims(std::string_view token, std::string_view jwks) {
  auto parts = Split(token, '.');
  if (parts.size() != 3) return std::nullopt;
  json::value header = DecodedJson(parts[0]);
  const json::value key_set = *ParseJson(jwks);
  for (const json::value& key : key_set.at("keys").as_array()) {
    if (key.at("kid") != header.at("kid") || header.at("alg") != key.at("alg")) continue;
    const std::string x = *DecodeBase64(FindString(key, "x"));
    KeyPtr known(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, RawBytes(x), x.size()));
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    const std::string signature = *DecodeBase64(parts[2]);
    const std::string_view message = token.substr(0, parts[0].size() + 1 + parts[1].size());
    bool good = EVP_DigestVerifyInit(context, nullptr, nullptr, nullptr, known.get()) == 1 &&
                EVP_DigestVerify(context, RawBytes(signature), signature.size(), RawBytes(message),
                                 message.size()) == 1;
    EVP_MD_CTX_free(context);
    if (good) return DecodedJson(parts[1]);
  }
  return std::nullopt;
}

TEST(TokenSignerTest, SignsTokensThatItsPublishedKeyVerifies) {
  RulesFixture fixture;
  const std::string body = R"({"host": "a.com"})";
  const std::string token = fixture.signer->Sign("https://me.example/hook", body);
  auto claims = VerifiedClaims(token, fixture.signer->JwksJson());
  ASSERT_TRUE(claims);
  EXPECT_EQ(FindString(*claims, "iss"), "https://viv.test");
  EXPECT_EQ(FindString(*claims, "sub"), "langsmith-sandbox-callback");
  EXPECT_EQ(FindString(*claims, "aud"), "https://me.example/hook");
  EXPECT_EQ(FindString(*claims, "body_sha256"), Sha256Hex(body));
  std::int64_t issued = claims->at("iat").as_int64();
  EXPECT_LE(std::abs(NowMs() / 1000 - issued), 60);
  EXPECT_EQ(claims->at("nbf"), claims->at("iat"));
  EXPECT_EQ(claims->at("exp").as_int64(), issued + 300);
  EXPECT_FALSE(FindString(*claims, "jti").empty());
  auto second = VerifiedClaims(fixture.signer->Sign("x", body), fixture.signer->JwksJson());
  EXPECT_NE(claims->at("jti"), second->at("jti"));
}

TEST(TokenSignerTest, AChangedTokenDoesNotVerify) {
  RulesFixture fixture;
  std::string token = fixture.signer->Sign("https://me.example/hook", "{}");
  auto parts = Split(token, '.');
  json::value claims = DecodedJson(parts[1]);
  claims.as_object()["aud"] = "https://evil.example/hook";
  std::string changed = std::string(parts[0]) + "." + EncodeBase64Url(WriteJson(claims)) + "." +
                        std::string(parts[2]);
  EXPECT_TRUE(VerifiedClaims(token, fixture.signer->JwksJson()));
  EXPECT_FALSE(VerifiedClaims(changed, fixture.signer->JwksJson()));
  RulesFixture other;
  EXPECT_FALSE(VerifiedClaims(fixture.signer->Sign("x", "{}"), other.signer->JwksJson()));
}

TEST(TokenSignerTest, ItsKeyIsNamedByItsThumbprint) {
  RulesFixture fixture;
  json::value key_set = *ParseJson(fixture.signer->JwksJson());
  const json::value& key = key_set.at("keys").at(0);
  EXPECT_EQ(FindString(key, "kty"), "OKP");
  EXPECT_EQ(FindString(key, "crv"), "Ed25519");
  EXPECT_EQ(FindString(key, "alg"), "EdDSA");
  EXPECT_EQ(FindString(key, "use"), "sig");
  EXPECT_EQ(Find(key, "d"), nullptr);
  std::string members =
      R"({"crv":"Ed25519","kty":"OKP","x":")" + std::string(FindString(key, "x")) + "\"}";
  EXPECT_EQ(FindString(key, "kid"), EncodeBase64Url(Sha256(members)));
}

TEST(TokenSignerTest, KeepsItsKeyWhereOnlyTheServerReadsIt) {
  ScratchFolder folder;
  const std::string nested = folder.path + "/made/here";
  auto issuer = [] { return std::string("i"); };
  auto first = TokenSigner::Open(nested, issuer);
  ASSERT_TRUE(first);
  struct stat file {};
  ASSERT_EQ(::stat((nested + "/callbacks.key").c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(nested.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0700u);
  auto again = TokenSigner::Open(nested, issuer);
  ASSERT_TRUE(again);
  EXPECT_EQ((*first)->JwksJson(), (*again)->JwksJson());
}

TEST(TokenSignerTest, AFileThatIsNoKeyStopsTheStart) {
  for (const char* text : {"", "garbage", "-----BEGIN PRIVATE KEY-----\nAAAA\n"}) {
    ScratchFolder folder;
    std::ofstream(folder.path + "/callbacks.key") << text;
    auto opened = TokenSigner::Open(folder.path, [] { return std::string("i"); });
    ASSERT_FALSE(opened) << text;
    EXPECT_THAT(opened.error().message, HasSubstr("callbacks.key"));
  }
  ScratchFolder folder;
  std::ofstream(folder.path + "/callbacks.key")
      << PemOfKey(*MakeTestIdentity({}, nullptr).key);  // P-256
  EXPECT_FALSE(TokenSigner::Open(folder.path, [] { return std::string("i"); }));
}

TEST(CallbackClientTest, AsksOverPlainHttp) {
  RulesFixture fixture;
  CallbackServer server;
  auto headers = RunToEnd(fixture.client->Ask(server.url("/hook?x=1"), {}, R"({"a": 1})"));
  ASSERT_TRUE(headers) << headers.error().message;
  EXPECT_EQ(headers->Get("authorization"), "Bearer given");
  http::Request asked = server.asked().at(0);
  EXPECT_EQ(asked.target, "/hook?x=1");
  EXPECT_EQ(asked.body, R"({"a": 1})");
  auto claims =
      VerifiedClaims(asked.headers.Get("X-LangSmith-Signature-JWT"), fixture.signer->JwksJson());
  ASSERT_TRUE(claims);
  EXPECT_EQ(FindString(*claims, "aud"), server.url("/hook?x=1"));
  EXPECT_EQ(FindString(*claims, "body_sha256"), Sha256Hex(asked.body));
}

TEST(CallbackClientTest, AsksOverTlsAndChecksTheCertificate) {
  RulesFixture fixture;
  CallbackServer server(fixture.origin.Secure());
  auto headers = RunToEnd(fixture.client->Ask(server.secure_url(), {}, "{}"));
  ASSERT_TRUE(headers) << headers.error().message;
  EXPECT_EQ(headers->Get("authorization"), "Bearer given");

  // The same server by a name that its certificate does not have, and by a client that does not
  // trust its authority.
  std::string by_address = server.secure_url();
  by_address.replace(by_address.find("localhost"), 9, "127.0.0.1");
  EXPECT_FALSE(RunToEnd(fixture.client->Ask(by_address, {}, "{}")));
  RulesFixture stranger;
  auto distrusted = RunToEnd(stranger.client->Ask(server.secure_url(), {}, "{}"));
  ASSERT_FALSE(distrusted);
  EXPECT_EQ(distrusted.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(server.asked().size(), 1u);
}

TEST(CallbackClientTest, SendsTheHeadersItIsGivenAndItsOwnWhereThereAreNone) {
  RulesFixture fixture;
  CallbackServer server;
  ASSERT_TRUE(RunToEnd(fixture.client->Ask(server.url(), {}, "{}")));
  http::Headers given;
  given.Add("user-agent", "mine/1");
  given.Add("accept", "application/vnd.mine+json");
  given.Add("content-type", "text/plain");
  given.Add("x-langsmith-signature-jwt", "forged");
  auto response_read = RunToEnd(fixture.client->Ask(server.url(), given, "{}"));
  ASSERT_TRUE(response_read) << response_read.error().message;
  const std::vector<http::Request> asked = server.asked();
  EXPECT_EQ(asked.at(0).headers.Get("User-Agent"), "vivarium");
  EXPECT_EQ(asked.at(0).headers.Get("Accept"), "application/json");
  const http::Headers& sent = asked.at(1).headers;
  EXPECT_EQ(sent.Get("User-Agent"), "mine/1");
  EXPECT_EQ(sent.Get("Accept"), "application/vnd.mine+json");
  // The client always sets these two itself.
  EXPECT_EQ(sent.Get("Content-Type"), "application/json");
  EXPECT_TRUE(VerifiedClaims(sent.Get("X-LangSmith-Signature-JWT"), fixture.signer->JwksJson())
                  .has_value());
  EXPECT_EQ(sent.size(), asked.at(0).headers.size());
}

TEST(CallbackClientTest, ASchemeIsOneInCapitalsToo) {
  RulesFixture fixture;
  CallbackServer plain, secure(fixture.origin.Secure());
  auto shouted = [](std::string url) {
    for (char& c : url) {
      if (c == ':') break;
      c = static_cast<char>(c - 'a' + 'A');
    }
    return url;
  };
  auto response_read = RunToEnd(fixture.client->Ask(shouted(plain.url()), {}, "{}"));
  EXPECT_TRUE(response_read) << response_read.error().message;
  response_read = RunToEnd(fixture.client->Ask(shouted(secure.secure_url()), {}, "{}"));
  EXPECT_TRUE(response_read) << response_read.error().message;
  EXPECT_EQ(plain.asked().size() + secure.asked().size(), 2u);
}

TEST(CallbackClientTest, UrlsThatAreNoneAreRefusedBeforeAnyoneIsBothered) {
  RulesFixture fixture;
  for (const char* url : {"", "ftp://a.com/", "http://", "https://", "http://a.com:x/", "a.com",
                          "http://user:pw@a.com/", "http://a.com/\r\nX: y", "https://[::1/"}) {
    auto asked = RunToEnd(fixture.client->Ask(url, {}, "{}"));
    ASSERT_FALSE(asked) << url;
    EXPECT_EQ(asked.error().code, ErrorCode::kUnavailable);
  }
}

TEST(CallbackClientTest, NobodyThereIsAFailure) {
  RulesFixture fixture;
  for (const char* url : {"http://127.0.0.1:1/", "http://host.invalid/", "https://127.0.0.1:1/"}) {
    auto asked = RunToEnd(fixture.client->Ask(url, {}, "{}"));
    ASSERT_FALSE(asked) << url;
    EXPECT_EQ(asked.error().code, ErrorCode::kUnavailable);
  }
}

TEST(CallbackClientTest, DialsOnlyWhatItMay) {
  PostLimits limits;
  limits.check_address = [](const std::string& address, std::uint16_t) -> Status {
    if (address != "127.0.0.1") return {};
    return Fail(ErrorCode::kPermissionDenied, "an address that may not be dialled");
  };
  RulesFixture fixture(std::move(limits));
  CallbackServer server;
  auto asked = RunToEnd(fixture.client->Ask(server.url(), {}, "{}"));
  ASSERT_FALSE(asked);
  EXPECT_THAT(asked.error().message, HasSubstr("may not be dialled"));
  EXPECT_TRUE(server.asked().empty());
}

TEST(CallbackClientTest, ErrorsHaveNothingOfUrlHeadersOrAnswer) {
  RulesFixture fixture;
  CallbackServer server;
  const std::string canary(kCanary);
  http::Headers headers;
  headers.Add("X-Key", canary);
  for (const auto& [status, body] :
       {std::pair(500, canary), std::pair(302, canary), std::pair(200, canary),
        std::pair(200, R"({"headers": {"X": ")" + canary + R"(\n"}})")}) {
    server.Say(status, body);
    auto asked = RunToEnd(fixture.client->Ask(server.url("/" + canary), headers, canary));
    ASSERT_FALSE(asked);
    EXPECT_THAT(asked.error().message, ::testing::Not(HasSubstr(canary)));
  }
}

}  // namespace
}  // namespace viv::gateway
