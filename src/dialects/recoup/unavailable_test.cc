#include "dialects/recoup/cors.h"
#include "dialects/recoup/git_routes.h"
#include "dialects/recoup/test_support.h"

namespace viv::recoup {
namespace {

std::vector<std::string> RoutesIn(const http::Router& router) {
  std::vector<std::string> listed;
  for (const http::Router::Listed& route : router.List())
    listed.push_back(route.method + " " + route.pattern);
  return listed;
}

http::Response CallRouter(const http::Router& router, std::string method, std::string path) {
  http::Request request;
  request.method = std::move(method);
  request.path = std::move(path);
  return RunTask(http::Dispatch(router, RenderRouteError)(request));
}

class RecoupUnavailableTest : public RecoupTest {
 protected:
  http::Router unavailable_ = UnavailableRoutes("start the server with --boxes on");
};

TEST_F(RecoupUnavailableTest, AServerWithoutBoxesHasTheSameRoutes) {
  EXPECT_EQ(RoutesIn(unavailable_), RoutesIn(router_));
}

TEST_F(RecoupUnavailableTest, EveryRouteSaysHowToTurnBoxesOn) {
  for (const auto& [method, path] :
       {std::pair("GET", "/api/sandboxes"), std::pair("POST", "/api/sandbox"),
        std::pair("GET", "/api/tasks/runs"), std::pair("POST", "/api/sandboxes/files"),
        std::pair("GET", "/api/admins/sandboxes")}) {
    http::Response response = CallRouter(unavailable_, method, path);
    EXPECT_EQ(response.status, 503) << path;
    EXPECT_EQ(response.body, R"({"status":"error","error":"start the server with --boxes on"})");
    EXPECT_EQ(response.headers.Get("access-control-allow-origin"), "*");
  }
}

TEST_F(RecoupUnavailableTest, ABrowsersPreflightSucceeds) {
  EXPECT_EQ(CallRouter(unavailable_, "OPTIONS", "/api/sandboxes").status, 200);
  EXPECT_EQ(CallRouter(unavailable_, "OPTIONS", "/api/sandbox").status, 204);
}

TEST_F(RecoupUnavailableTest, AWrongMethodKeepsTheShape) {
  http::Response response = CallRouter(unavailable_, "PUT", "/api/tasks/runs");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.headers.Get("allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(response.body, R"({"status":"error","error":"Method Not Allowed"})");
}

TEST_F(RecoupUnavailableTest, GitIsToldInATextThatItShows) {
  http::Router git = UnavailableGitRoutes("start the server with --boxes on");
  http::Response response = CallRouter(git, "GET", "/git/mine.git/info/refs");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, "start the server with --boxes on\n");
  EXPECT_EQ(CallRouter(git, "POST", "/git/mine.git/git-upload-pack").status, 503);
}

}  // namespace
}  // namespace viv::recoup
