#include "dialects/langsmith/service_headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace viv::langsmith {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> CookiesOf(std::string header) {
  http::Request request;
  request.headers.Add("Cookie", std::move(header));
  return ServiceCookies(request);
}

std::string Located(std::string location) {
  http::Response response;
  response.headers.Add("Location", std::move(location));
  ResponseRewrite guest{.prefix = "/_svc/u/80", .origin = "http://host:1"};
  RewriteResponse(response, guest);
  return std::string(response.headers.Get("location"));
}

std::string Cooked(std::string cookie, std::string prefix = "/_svc/u/80") {
  http::Response response;
  response.headers.Add("Set-Cookie", std::move(cookie));
  ResponseRewrite guest{.prefix = std::move(prefix), .origin = ""};
  RewriteResponse(response, guest);
  return std::string(response.headers.Get("set-cookie"));
}

TEST(ServiceHeadersTest, FindsItsCookieAmongOthers) {
  EXPECT_THAT(CookiesOf("viv_service=a"), ElementsAre("a"));
  EXPECT_THAT(CookiesOf("x=1;viv_service=a ; viv_service=b;y"), ElementsAre("a", "b"));
  EXPECT_THAT(CookiesOf("xviv_service=a; viv_services=b; viv_service"), IsEmpty());
  EXPECT_THAT(CookiesOf(""), IsEmpty());
  EXPECT_THAT(CookiesOf(";;=;"), IsEmpty());
}

TEST(ServiceHeadersTest, LooksAtAFewCookiesOnly) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "viv_service=a; ";
  EXPECT_EQ(CookiesOf(many).size(), 8u);
}

TEST(ServiceHeadersTest, RedirectionsStayWithinTheService) {
  EXPECT_EQ(Located("/a"), "/_svc/u/80/a");
  EXPECT_EQ(Located("/"), "/_svc/u/80/");
  EXPECT_EQ(Located("http://host:1/a?b"), "http://host:1/_svc/u/80/a?b");
  EXPECT_EQ(Located("/_svc/u/80/a"), "/_svc/u/80/a") << "the guest knew its prefix";
  EXPECT_EQ(Located("/_svc/u/8000"), "/_svc/u/80/_svc/u/8000");
  EXPECT_EQ(Located("a/b"), "a/b");
  EXPECT_EQ(Located("//cdn.example/a"), "//cdn.example/a");
  EXPECT_EQ(Located("https://other.example/a"), "https://other.example/a");
  EXPECT_EQ(Located("http://host:10/a"), "http://host:10/a");
  EXPECT_EQ(Located(""), "");
}

TEST(ServiceHeadersTest, CookiesOfTheGuestStayWithinTheService) {
  EXPECT_EQ(Cooked("a=b"), "a=b");
  EXPECT_EQ(Cooked("a=b; Path=/"), "a=b; Path=/_svc/u/80/");
  EXPECT_EQ(Cooked("a=b; path = /x ; HttpOnly"), "a=b; HttpOnly; Path=/_svc/u/80/x");
  EXPECT_EQ(Cooked("a=b; Path=relative"), "a=b");
  EXPECT_EQ(Cooked("a=b; Domain=.example; DOMAIN=x"), "a=b");
  EXPECT_EQ(Cooked("viv_service=x; Path=/"), "");
  EXPECT_EQ(Cooked("a=b; Path=/x; Domain=example", ""), "a=b; Path=/x");
}

TEST(ServiceHeadersTest, AServiceWithItsOwnOriginRulesOverIt) {
  http::Response response;
  response.headers.Add("Clear-Site-Data", "*");
  response.headers.Add("Location", "/a");
  RewriteResponse(response, ResponseRewrite{});
  EXPECT_EQ(response.headers.Get("clear-site-data"), "*");
  EXPECT_EQ(response.headers.Get("location"), "/a");
}

TEST(ServiceHeadersTest, KeysPassOnlyWhereTheyAreTheGuests) {
  for (bool keep : {true, false}) {
    http::Request request;
    request.headers.Add("Authorization", "Basic eA==");
    request.headers.Add("X-API-KEY", "k");
    RewriteRequest(request, RequestRewrite{.prefix = "", .user_id = "", .keep_keys = keep});
    EXPECT_EQ(request.headers.Has("authorization"), keep);
    EXPECT_EQ(request.headers.Has("x-api-key"), keep);
  }
}

}  // namespace
}  // namespace viv::langsmith
