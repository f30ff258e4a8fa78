#include "mcp/origin.h"

#include <gtest/gtest.h>

#include "mcp/sessions.h"

namespace viv::mcp {
namespace {

http::Request From(std::string host, std::string origin) {
  http::Request request;
  request.headers.Add("Host", std::move(host));
  if (!origin.empty()) request.headers.Add("Origin", std::move(origin));
  return request;
}

TEST(OriginTest, ALoopbackServerKnowsOnlyThisMachine) {
  OriginPolicy policy;
  EXPECT_TRUE(IsAllowed(policy, From("127.0.0.1:7373", "")));
  EXPECT_TRUE(IsAllowed(policy, From("[::1]:7373", "http://localhost:3000")));
  EXPECT_FALSE(IsAllowed(policy, From("evil.example", "")));
  EXPECT_FALSE(IsAllowed(policy, From("localhost.evil.example:7373", "")));
  EXPECT_FALSE(IsAllowed(policy, From("localhost:7373", "https://evil.example")));
  EXPECT_FALSE(IsAllowed(policy, From("localhost:7373", "null")));
}

TEST(OriginTest, OthersAreAllowedByName) {
  OriginPolicy policy{.loopback_only = false, .allowed_origins = {"https://app.example"}};
  EXPECT_TRUE(IsAllowed(policy, From("viv.example", "https://app.example")));
  EXPECT_TRUE(IsAllowed(policy, From("viv.example", "https://viv.example")));
  EXPECT_FALSE(IsAllowed(policy, From("viv.example", "https://other.example")));
}

TEST(OriginTest, ThePublicUrlsHostIsThisServers) {
  OriginPolicy policy{
      .loopback_only = true, .allowed_origins = {}, .public_url = "https://viv.example/"};
  EXPECT_TRUE(IsAllowed(policy, From("viv.example", "")));
  EXPECT_TRUE(IsAllowed(policy, From("VIV.example:443", "https://viv.example")));
  EXPECT_TRUE(IsAllowed(policy, From("127.0.0.1:7373", "https://viv.example")));
  EXPECT_FALSE(IsAllowed(policy, From("viv.example", "http://viv.example:8080")));
  EXPECT_FALSE(IsAllowed(policy, From("viv.example.evil.example", "")));
  EXPECT_FALSE(IsAllowed(policy, From("evil.example", "")));
  EXPECT_FALSE(IsAllowed(policy, From("", "")));
}

TEST(OriginTest, ARefusalNamesTheSettingThatWouldAllowIt) {
  OriginPolicy policy;
  EXPECT_NE(WhyNotAllowed(policy, From("viv.example", "")).find("--public-url"), std::string::npos);
  EXPECT_NE(WhyNotAllowed(policy, From("viv.example", "")).find("'viv.example'"),
            std::string::npos);
  EXPECT_NE(WhyNotAllowed(policy, From("localhost", "https://app.example")).find("--allow-origin"),
            std::string::npos);
}

TEST(SessionsTest, ASessionProvesItsLeaseAndSurvivesARestart) {
  Sessions sessions("secret");
  std::string id = sessions.Make("lease");
  EXPECT_TRUE(sessions.IsLive("lease", id));
  EXPECT_FALSE(sessions.IsLive("another lease", id));
  EXPECT_TRUE(Sessions("secret").IsLive("lease", id));
  EXPECT_FALSE(Sessions("another secret").IsLive("lease", id));
  sessions.End(id);
  EXPECT_FALSE(sessions.IsLive("lease", id));
  EXPECT_FALSE(sessions.IsLive("lease", ""));
}

}  // namespace
}  // namespace viv::mcp
