#include "dialects/langsmith/test_support.h"

namespace viv::langsmith {
namespace {

std::vector<std::string> RoutesIn(const http::Router& router) {
  std::vector<std::string> listed;
  for (const http::Router::Listed& route : router.List())
    listed.push_back(route.method + " " + route.pattern);
  return listed;
}

class LangsmithUnavailableTest : public LangsmithTest {
 protected:
  ParsedResponse CallWithoutBoxes(std::string method, std::string target) {
    http::Request request = MakeRequest(std::move(method), std::move(target));
    return Read(RunToEnd(http::Dispatch(unavailable_, RenderRouteError)(request)));
  }

  http::Router unavailable_ = UnavailableRoutes("start the server with --boxes on");
};

TEST_F(LangsmithUnavailableTest, AServerWithoutBoxesHasTheSameRoutes) {
  EXPECT_EQ(RoutesIn(unavailable_), RoutesIn(router_));
}

TEST_F(LangsmithUnavailableTest, EveryRouteSaysHowToTurnBoxesOn) {
  for (const auto& [method, path] :
       {std::pair("POST", "/v2/sandboxes/boxes"), std::pair("GET", "/api/v2/sandboxes/snapshots"),
        std::pair("GET", "/v2/sandboxes/registries"),
        std::pair("POST", "/v2/sandboxes/boxes/x/service-url"),
        std::pair("POST", "/v2/sandboxes/x/execute"),
        std::pair("GET", "/api/v1/workspaces/current/secrets"), std::pair("GET", "/_dl/file")}) {
    ParsedResponse response = CallWithoutBoxes(method, path);
    EXPECT_EQ(response.status, 503) << path;
    EXPECT_EQ(response.type(), "ServiceUnavailable") << path;
    EXPECT_EQ(response.message(), "start the server with --boxes on");
  }
}

TEST_F(LangsmithUnavailableTest, AWrongMethodAndAnUnknownPathKeepTheShape) {
  ParsedResponse wrong = CallWithoutBoxes("PUT", "/v2/sandboxes/usage");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.type(), "MethodNotAllowed");
  EXPECT_EQ(wrong.headers.Get("allow"), "GET, HEAD");
  EXPECT_EQ(CallWithoutBoxes("GET", "/v2/sandboxes/nothing").type(), "ResourceNotFound");
}

}  // namespace
}  // namespace viv::langsmith
