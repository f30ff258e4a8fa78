#include "dialects/langsmith/signed_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/text.h"

namespace viv::langsmith {
namespace {

const accounts::Sealer& TokenSealer() {
  static const accounts::Sealer sealer("the server's own secret");
  return sealer;
}

json::object TokenClaims() {
  json::object claims;
  claims["sub"] = "i1";
  claims["exp"] = 1000;
  return claims;
}

std::string ServiceToken() {
  return SignToken(TokenSealer(), TokenPurpose::kService, TokenClaims());
}

TEST(SignedTokenTest, SaysWhatWasSigned) {
  auto claims = OpenToken(TokenSealer(), TokenPurpose::kService, ServiceToken());
  ASSERT_TRUE(claims);
  EXPECT_EQ(FindString(*claims, "sub"), "i1");
  EXPECT_EQ(claims->at("exp").as_int64(), 1000);
}

TEST(SignedTokenTest, IsAJsonWebTokenOfThreeParts) {
  std::string token = ServiceToken();
  std::vector<std::string_view> parts = Split(token, '.');
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(DecodeBase64(parts[0]), R"({"alg":"HS256","typ":"JWT"})");
  EXPECT_EQ(DecodeBase64(parts[2])->size(), 32u);
}

TEST(SignedTokenTest, TwoAreNeverTheSame) {
  EXPECT_NE(ServiceToken(), ServiceToken());
}

TEST(SignedTokenTest, OpensForNoOtherPurposeOrServer) {
  EXPECT_FALSE(OpenToken(TokenSealer(), TokenPurpose::kDownload, ServiceToken()));
  accounts::Sealer other("another server's secret");
  EXPECT_FALSE(OpenToken(other, TokenPurpose::kService, ServiceToken()));
}

TEST(SignedTokenTest, AChangedByteAnywhereIsNoticed) {
  const std::string token = ServiceToken();
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(OpenToken(TokenSealer(), TokenPurpose::kService, changed)) << i;
  }
}

TEST(SignedTokenTest, HasOneSpelling) {
  const std::string token = ServiceToken();
  for (std::string other : {token + "=", token + " ", " " + token, token + ".", token + "A"})
    EXPECT_FALSE(OpenToken(TokenSealer(), TokenPurpose::kService, other)) << other;
}

TEST(SignedTokenTest, WhatIsNoTokenIsRefused) {
  std::string token = ServiceToken();
  std::vector<std::string_view> parts = Split(token, '.');
  std::string unsigned_head = EncodeBase64Url(R"({"alg":"none"})");
  for (std::string bad : {std::string(), std::string("."), std::string(".."), std::string("..."),
                          std::string("a.b.c"), std::string(parts[0]),
                          unsigned_head + '.' + std::string(parts[1]) + '.',
                          std::string(parts[0]) + '.' + std::string(parts[1]),
                          std::string(100'000, 'a'), std::string("\0\xff.\x01", 4)})
    EXPECT_FALSE(OpenToken(TokenSealer(), TokenPurpose::kService, bad));
}

TEST(SignedTokenTest, EndsAtItsSecond) {
  json::value claims = TokenClaims();
  EXPECT_FALSE(IsTokenExpired(claims, 999'999));
  EXPECT_TRUE(IsTokenExpired(claims, 1'000'000));
  EXPECT_TRUE(IsTokenExpired(claims, 2'000'000));
  claims.as_object()["exp"] = "never";
  EXPECT_TRUE(IsTokenExpired(claims, 0));
  claims.as_object().erase("exp");
  EXPECT_FALSE(IsTokenExpired(claims, INT64_MAX));
}

TEST(SignedTokenTest, AnEndIsNeverEarlierThanPromised) {
  EXPECT_EQ(TokenEnd(10'000, 5), 15);
  EXPECT_EQ(TokenEnd(10'001, 5), 16);
}

}  // namespace
}  // namespace viv::langsmith
