#include "http/message.h"

#include <gtest/gtest.h>

namespace viv::http {
namespace {

TEST(HeadersTest, FindsNamesWithoutRegardToCase) {
  Headers headers;
  headers.Add("Content-Type", "text/html");
  EXPECT_EQ(headers.Get("content-TYPE"), "text/html");
  EXPECT_TRUE(headers.Has("CONTENT-TYPE"));
}

TEST(HeadersTest, GetsTheFirstOfSeveral) {
  Headers headers;
  headers.Add("Accept", "a");
  headers.Add("Accept", "b");
  EXPECT_EQ(headers.Get("accept"), "a");
}

TEST(HeadersTest, GetsNothingForAnAbsentName) {
  Headers headers;
  EXPECT_EQ(headers.Get("accept"), "");
  EXPECT_FALSE(headers.Has("accept"));
}

TEST(HeadersTest, SetReplacesEveryEarlierOne) {
  Headers headers;
  headers.Add("accept", "a");
  headers.Add("Other", "x");
  headers.Add("ACCEPT", "b");
  headers.Set("Accept", "c");
  EXPECT_EQ(headers.Get("accept"), "c");
  EXPECT_EQ(headers.size(), 2u);
}

Request WithQuery(std::string query) {
  Request request;
  request.query = std::move(query);
  return request;
}

TEST(RequestTest, DecodesAQueryValue) {
  EXPECT_EQ(WithQuery("a=1&tag=x%20y+z%26").Query("tag"), "x y z&");
}

TEST(RequestTest, TakesTheFirstOfEqualQueryNames) {
  EXPECT_EQ(WithQuery("a=1&a=2").Query("a"), "1");
}

TEST(RequestTest, DecodesQueryNamesToo) {
  EXPECT_EQ(WithQuery("user%5Bid%5D=7").Query("user[id]"), "7");
}

TEST(RequestTest, TellsAnEmptyQueryValueFromAnAbsentOne) {
  EXPECT_EQ(WithQuery("a=&b").Query("a"), "");
  EXPECT_EQ(WithQuery("a=&b").Query("b"), "");
  EXPECT_EQ(WithQuery("a=&b").Query("c"), std::nullopt);
  EXPECT_EQ(WithQuery("").Query("c"), std::nullopt);
}

TEST(RequestTest, KeepsEqualsSignsInsideAQueryValue) {
  EXPECT_EQ(WithQuery("token=a=b==").Query("token"), "a=b==");
}

TEST(RequestTest, GivesNothingForABrokenEscape) {
  EXPECT_EQ(WithQuery("a=%zz").Query("a"), std::nullopt);
  EXPECT_EQ(WithQuery("a=%4").Query("a"), std::nullopt);
  EXPECT_EQ(WithQuery("%=1&b=2").Query("b"), "2");
}

TEST(RequestTest, FindsAParameterOfTheRoute) {
  Request request;
  request.parameters = {{"id", "7"}};
  EXPECT_EQ(request.Parameter("id"), "7");
  EXPECT_EQ(request.Parameter("name"), "");
}

TEST(RequestTest, BuildsItsBaseUrlFromTheHostHeader) {
  Request request;
  request.headers.Add("host", "box.example:8080");
  EXPECT_EQ(request.BaseUrl(), "http://box.example:8080");
  request.secure = true;
  EXPECT_EQ(request.BaseUrl(), "https://box.example:8080");
}

TEST(RequestTest, DoesNotRepeatAHostThatIsNone) {
  Request request;
  EXPECT_EQ(request.BaseUrl(), "http://localhost");
  request.headers.Add("host", "evil/\"><script>");
  EXPECT_EQ(request.BaseUrl(), "http://localhost");
}

TEST(ResponseTest, JsonSaysItsType) {
  Response response = Json(201, "{}");
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.headers.Get("content-type"), "application/json");
  EXPECT_EQ(response.body, "{}");
  EXPECT_EQ(Text(400, "no").body, "no");
  EXPECT_EQ(Empty(204).status, 204);
}

TEST(ComposeTest, PutsTheFirstMiddlewareOutermost) {
  std::string order;
  auto note = [&order](char name) -> Middleware {
    return [&order, name](Handler next) -> Handler {
      return [&order, name, next](Request& request) {
        order += name;
        return next(request);
      };
    };
  };
  // Never resumed: the middlewares here run before the first coroutine does.
  Handler last = [](Request&) -> Task<Response> { co_return Response(); };
  Handler handler = Compose({note('a'), note('b'), note('c')}, last);
  Request request;
  { auto never_run = handler(request); }
  EXPECT_EQ(order, "abc");
}

}  // namespace
}  // namespace viv::http
