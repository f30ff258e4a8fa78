#include "server/dialect_errors.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/run_to_end.h"
#include "dialects/klavis/errors.h"
#include "dialects/klavis/local_context.h"
#include "server/box_dialects.h"

namespace viv::server {
namespace {

constexpr char kWhy[] = "boxes are off: start the server with --boxes on";

// The routes of a server without boxes.
class DialectErrorsTest : public ::testing::Test {
 protected:
  DialectErrorsTest() {
    MountDialects(UnavailableDialects(kWhy), router_, errors_);
    http::Router local = klavis::UnavailableLocalRoutes(kWhy);
    router_.Mount("", local);
    errors_.Add("", local, klavis::RenderRouteError);
  }

  http::Response Call(std::string method, std::string path) {
    http::Request request;
    request.method = std::move(method);
    request.path = std::move(path);
    return RunToEnd(http::Dispatch(router_, std::cref(errors_))(request));
  }

  // Whose shape a body has.
  static std::string ShapeOf(const http::Response& response) {
    auto body = ParseJson(response.body);
    if (!body) return "text";
    if (Find(*body, "code") != nullptr) return "e2b";
    if (Find(*body, "error") != nullptr) return "recoup";
    const json::value* detail = Find(*body, "detail");
    if (detail == nullptr) return "none";
    return detail->is_object() ? "langsmith" : "klavis";
  }

  std::string Shape(std::string method, std::string path, int status) {
    const http::Response response = Call(method, path);
    EXPECT_EQ(response.status, status) << method << " " << path;
    return ShapeOf(response);
  }

  http::Router router_;
  DialectErrors errors_{"", klavis::RenderRouteError};
};

std::string WithoutParameters(const std::string& pattern) {
  std::string path;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '{') {
      path += pattern[at];
      continue;
    }
    path += 'x';
    at = pattern.find('}', at);
  }
  return path;
}

TEST_F(DialectErrorsTest, WithoutBoxesEveryRouteOfEachDialectAnswers503InItsShape) {
  const DialectRoutes routes = UnavailableDialects(kWhy);
  const std::pair<const http::Router*, std::string> dialects[] = {{&routes.e2b, "e2b"},
                                                                  {&routes.langsmith, "langsmith"},
                                                                  {&routes.recoup, "recoup"},
                                                                  {&routes.git, "text"}};
  for (const auto& [own, shape] : dialects) {
    EXPECT_FALSE(own->List().empty());
    for (const http::Router::Listed& route : own->List()) {
      if (route.method == "OPTIONS") continue;  // a browser's preflight is answered as ever
      const http::Response response = Call(route.method, WithoutParameters(route.pattern));
      EXPECT_EQ(response.status, 503) << route.method << " " << route.pattern;
      EXPECT_EQ(ShapeOf(response), shape) << route.method << " " << route.pattern;
      EXPECT_NE(response.body.find(kWhy), std::string::npos) << response.body;
    }
  }
}

TEST_F(DialectErrorsTest, AWrongMethodIsAnsweredInTheShapeOfThePathsDialectWithTheRightOnes) {
  EXPECT_EQ(Shape("PUT", "/v2/sandboxes", 405), "e2b");
  EXPECT_EQ(Shape("PUT", "/v2/sandboxes/abc/connect", 405), "e2b");
  EXPECT_EQ(Shape("PUT", "/v2/sandboxes/boxes/abc", 405), "langsmith");
  EXPECT_EQ(Shape("PUT", "/v2/sandboxes/abc/execute", 405), "langsmith");
  EXPECT_EQ(Shape("PUT", "/api/sandboxes", 405), "recoup");
  EXPECT_EQ(Shape("PUT", "/git/mine.git/info/refs", 405), "text");
  EXPECT_EQ(Shape("PUT", "/local-sandbox", 405), "klavis");
  EXPECT_EQ(Call("PUT", "/e2b/health").headers.Get("allow"), "GET, HEAD");
  EXPECT_EQ(Call("POST", "/api/tasks/runs").headers.Get("access-control-allow-origin"), "*");
}

TEST_F(DialectErrorsTest, AnUnknownPathBelowADialectsOwnPrefixIsAnsweredInItsShape) {
  EXPECT_EQ(Shape("GET", "/e2b/nothing", 404), "e2b");
  EXPECT_EQ(Shape("GET", "/sandboxes/a/b/c/d", 404), "e2b");
  EXPECT_EQ(Shape("GET", "/volumes/a/b/c/d", 404), "e2b");
  EXPECT_EQ(Shape("GET", "/langsmith/nothing", 404), "langsmith");
  EXPECT_EQ(Shape("GET", "/api/v2/nothing", 404), "langsmith");
  EXPECT_EQ(Shape("GET", "/v2/sandboxes/boxes/a/b/c", 404), "langsmith");
  EXPECT_EQ(Shape("GET", "/recoup/nothing", 404), "recoup");
  EXPECT_EQ(Shape("GET", "/api/tasks/nothing", 404), "recoup");
  EXPECT_EQ(Shape("GET", "/local-sandbox/a/b/c", 404), "klavis");
}

TEST_F(DialectErrorsTest, BelowASharedPrefixTheSandboxsIdDecides) {
  EXPECT_EQ(Shape("GET", "/v2/sandboxes/i0123456789abcdefghij/nothing", 404), "e2b");
  EXPECT_EQ(Shape("GET", "/v2/sandboxes/i0123456789abcdefghij-client", 404), "e2b");
  EXPECT_EQ(Shape("GET", "/v2/sandboxes/mine/nothing", 404), "langsmith");
}

TEST_F(DialectErrorsTest, APathOfNobodyIsAnsweredByTheOther) {
  for (const char* path : {"/nothing", "/", "", "/api", "/v2", "/api/nothing", "/v2/nothing"})
    EXPECT_EQ(Shape("GET", path, 404), "klavis") << path;
}

TEST_F(DialectErrorsTest, TrafficToBoxesBelongsToTheDialectThatMarksIt) {
  http::Request request;
  request.method = "GET";
  request.path = "/local-sandbox";
  request.headers.Add("E2b-Sandbox-Id", "i0123456789abcdefghij");
  EXPECT_EQ(ShapeOf(errors_(503, kWhy, request)), "e2b");
  http::Request service;
  service.method = "GET";
  service.path = "/_svc/00000000-0000-4000-8000-000000000000/80/";
  EXPECT_EQ(ShapeOf(errors_(503, kWhy, service)), "langsmith");
}

}  // namespace
}  // namespace viv::server
