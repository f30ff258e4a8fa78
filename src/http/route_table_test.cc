#include "http/route_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/run_to_end.h"

namespace viv::http {
namespace {

using ::testing::ElementsAre;

struct Greeter {
  std::string greeting;
};

Task<Response> Greet(Greeter& greeter, Request& request) {
  co_return Text(200, greeter.greeting + " " + std::string(request.Parameter("name")));
}

Task<Response> Leave(Greeter&, Request&) {
  co_return Empty(204);
}

constexpr RouteEntry<Greeter> kGreeterRoutes[] = {
    {"GET", "/greet/{name}", Greet},
    {"DELETE", "/greet/{name}", Leave},
};

Response RenderStatus(int status, std::string message, const Request& request) {
  return Text(status, message + " at " + request.path);
}

Response CallRoute(const Router& router, std::string method, std::string path) {
  Request request;
  request.method = std::move(method);
  request.path = std::move(path);
  return RunToEnd(Dispatch(router, RenderStatus)(request));
}

std::vector<std::string> ListedIn(const Router& router) {
  std::vector<std::string> listed;
  for (const Router::Listed& route : router.List()) listed.push_back(route.method + route.pattern);
  return listed;
}

TEST(RouteTableTest, EachRouteCallsItsOperationWithTheSubject) {
  Greeter greeter{"hello"};
  Router router;
  AddRoutes<Greeter>(router, kGreeterRoutes, greeter);
  EXPECT_EQ(CallRoute(router, "GET", "/greet/Ada").body, "hello Ada");
  EXPECT_EQ(CallRoute(router, "DELETE", "/greet/Ada").status, 204);
}

TEST(RouteTableTest, HandlersKeepASharedSubject) {
  auto greeter = std::make_shared<Greeter>(Greeter{"hi"});
  std::weak_ptr<Greeter> watched = greeter;
  {
    Router router;
    AddRoutes<Greeter>(router, kGreeterRoutes, std::move(greeter));
    EXPECT_EQ(CallRoute(router, "GET", "/greet/Ada").body, "hi Ada");
  }
  EXPECT_TRUE(watched.expired());
}

TEST(RouteTableTest, TheMiddlewareStandsBeforeEveryOperation) {
  Greeter greeter{"hello"};
  Router router;
  Handler refuse = AlwaysError(401, "no key", RenderStatus);
  AddRoutes<Greeter>(router, kGreeterRoutes, greeter, [refuse](const Handler&) { return refuse; });
  EXPECT_EQ(CallRoute(router, "GET", "/greet/Ada").status, 401);
  EXPECT_EQ(CallRoute(router, "DELETE", "/greet/Ada").status, 401);
}

TEST(RouteTableTest, OneHandlerMayServeTheWholeTable) {
  Router router;
  AddRoutesServedBy<Greeter>(router, kGreeterRoutes, AlwaysError(503, "closed", RenderStatus));
  EXPECT_THAT(ListedIn(router), ElementsAre("GET/greet/{name}", "DELETE/greet/{name}"));
  Response response = CallRoute(router, "GET", "/greet/Ada");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, "closed at /greet/Ada");
  EXPECT_EQ(CallRoute(router, "PUT", "/greet/Ada").status, 405);
}

}  // namespace
}  // namespace viv::http
