#include "dialects/langsmith/service_frames.h"

#include "dialects/langsmith/service_test_support.h"

namespace viv::langsmith {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ServiceFramesTest : public ServiceTest {
 protected:
  ServiceFramesTest() : id_(PutNamed("one")), path_(PathOf(id_, 8000) + "/") {}

  static std::vector<std::string> PoliciesOf(const ParsedResponse& response) {
    std::vector<std::string> policies;
    for (const auto& [name, value] : response.headers)
      if (EqualsIgnoreCase(name, "content-security-policy")) policies.push_back(value);
    return policies;
  }

  const std::string id_;
  const std::string path_;
};

TEST(EmbedOriginTest, IsAnOriginAndNothingMore) {
  EXPECT_EQ(EmbedOrigin("https://App.Example.com"), "https://app.example.com");
  EXPECT_EQ(EmbedOrigin("http://localhost:3000/"), "http://localhost:3000");
  for (const char* text :
       {"", "*", "https://*", "https://*.example.com", "app.example.com", "ftp://a.example",
        "https://a.example/page", "https://a.example?x", "https://me@a.example",
        "https://a.example;script-src", "https://a.example 'unsafe-inline'", "https://a.example,b",
        "https://a.example:0", "null"})
    EXPECT_FALSE(EmbedOrigin(text)) << text;
}

TEST_F(ServiceFramesTest, ThePagesThatWereNamedMayShowTheService) {
  ParsedResponse shared = Share(
      R"({"port":8000,"embed_origins":["https://App.example.com/","http://localhost:3000"]})");
  ASSERT_EQ(shared.status, 200);
  EXPECT_EQ(WriteJson(shared.body.at("embed_origins")),
            R"(["https://app.example.com","http://localhost:3000"])");
  std::string token(shared.Text("token"));
  relay_response_.headers.Add("X-Frame-Options", "DENY");
  relay_response_.headers.Add("Content-Security-Policy",
                              "default-src 'self'; Frame-Ancestors 'none', frame-ancestors 'self'");
  ParsedResponse response = CallServiceWithToken(token, path_);
  EXPECT_FALSE(response.headers.Has("x-frame-options"));
  EXPECT_THAT(PoliciesOf(response),
              ElementsAre("default-src 'self'",
                          "frame-ancestors 'self' https://app.example.com http://localhost:3000"));
  ParsedResponse listed = Call("GET", "/boxes/one/service-urls");
  EXPECT_EQ(WriteJson(listed.body.at("items").at(0).at("embed_origins")),
            R"(["https://app.example.com","http://localhost:3000"])");
}

TEST_F(ServiceFramesTest, WithoutAListTheGuestDecides) {
  relay_response_.headers.Add("X-Frame-Options", "DENY");
  ParsedResponse response = CallServiceWithToken(TokenFor(8000), path_);
  EXPECT_EQ(response.headers.Get("x-frame-options"), "DENY");
  EXPECT_TRUE(PoliciesOf(response).empty());
}

TEST_F(ServiceFramesTest, ARefreshKeepsTheListAndAnEmptyOneEndsIt) {
  Share(R"({"port":8000,"embed_origins":["https://a.example"]})");
  EXPECT_EQ(PoliciesOf(CallServiceWithToken(TokenFor(8000), path_)).size(), 1U);
  Share(R"({"port":8000,"embed_origins":[]})");
  EXPECT_TRUE(PoliciesOf(CallServiceWithToken(TokenFor(8000), path_)).empty());
}

TEST_F(ServiceFramesTest, TheCookieOfAFrameIsSentFromOtherPages) {
  ParsedResponse shared = Share(R"({"port":8000,"embed_origins":["https://a.example"]})");
  std::string login = PathOf(id_, 8000) + "/_svc/auth?token=" + std::string(shared.Text("token"));
  std::string plain(CallService("GET", login).headers.Get("set-cookie"));
  EXPECT_THAT(plain, HasSubstr("SameSite=Lax")) << "no browser takes SameSite=None over plain HTTP";
  service_context_.public_url = "https://viv.example";
  std::string secure(CallService("GET", login).headers.Get("set-cookie"));
  EXPECT_THAT(secure, HasSubstr("SameSite=None; Partitioned; Secure"));
  std::string other = PathOf(id_, 8001) + "/_svc/auth?token=" + TokenFor(8001);
  EXPECT_THAT(std::string(CallService("GET", other).headers.Get("set-cookie")),
              Not(HasSubstr("SameSite=None")));
}

}  // namespace
}  // namespace viv::langsmith
