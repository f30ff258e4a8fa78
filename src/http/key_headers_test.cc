#include "http/key_headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"

namespace viv::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> KeysIn(std::vector<std::pair<std::string, std::string>> headers) {
  Request request;
  for (auto& [name, value] : headers) request.headers.Add(name, value);
  return HeadersWithKeys(request, [](std::string_view text) { return text == "ours"; });
}

TEST(KeyHeadersTest, FindsOurKeyInEveryForm) {
  EXPECT_THAT(KeysIn({{"X-API-Key", " ours "}}), ElementsAre("x-api-key"));
  EXPECT_THAT(KeysIn({{"x-service-key", "ours"}}), ElementsAre("x-service-key"));
  for (const std::string& value :
       {std::string("Bearer ours"), std::string("bearer  ours"), std::string("ours"),
        std::string("Token ours"), "Basic " + EncodeBase64("me:ours"),
        "Basic " + EncodeBase64("ours:"), "Basic " + EncodeBase64("ours")})
    EXPECT_THAT(KeysIn({{"Authorization", value}}), ElementsAre("authorization")) << value;
}

TEST(KeyHeadersTest, LooksAtEveryOne) {
  EXPECT_THAT(KeysIn({{"X-API-Key", "theirs"}, {"x-api-key", "ours"}}), ElementsAre("x-api-key"));
  EXPECT_THAT(KeysIn({{"Authorization", "Bearer ours"}, {"X-API-Key", "ours"}}),
              ElementsAre("authorization", "x-api-key"));
}

TEST(KeyHeadersTest, LeavesTheGuestItsOwn) {
  EXPECT_THAT(KeysIn({{"Authorization", "Bearer theirs"},
                      {"X-API-Key", "theirs"},
                      {"X-API-Key", ""},
                      {"Authorization", "Basic %%%"},
                      {"Cookie", "ours"}}),
              IsEmpty());
}

TEST(KeyHeadersTest, WhatIsTooLongToBeLookedAtStays) {
  EXPECT_THAT(KeysIn({{"Authorization", "Bearer " + std::string(9000, 'x')}}),
              ElementsAre("authorization"));
}

}  // namespace
}  // namespace viv::http
