#include "dialects/e2b/test_support.h"

namespace viv::e2b {
namespace {

std::vector<std::string> RoutesIn(const http::Router& router) {
  std::vector<std::string> listed;
  for (const http::Router::Listed& route : router.List())
    listed.push_back(route.method + " " + route.pattern);
  return listed;
}

class E2bUnavailableTest : public E2bTest {
 protected:
  ParsedResponse CallWithoutBoxes(std::string method, std::string target) {
    http::Request request = MakeRequest(std::move(method), std::move(target));
    return Read(RunHandler(http::Dispatch(unavailable_, RenderRouteError), request));
  }

  http::Router unavailable_ = UnavailableRoutes("start the server with --boxes on");
};

TEST_F(E2bUnavailableTest, AServerWithoutBoxesHasTheSameRoutes) {
  EXPECT_EQ(RoutesIn(unavailable_), RoutesIn(router_));
}

TEST_F(E2bUnavailableTest, EveryRouteSaysHowToTurnBoxesOn) {
  for (const auto& [method, path] :
       {std::pair("POST", "/v2/sandboxes"), std::pair("GET", "/sandboxes/x"),
        std::pair("GET", "/templates"), std::pair("POST", "/v3/templates"),
        std::pair("GET", "/volumes"), std::pair("GET", "/secrets"), std::pair("GET", "/health")}) {
    ParsedResponse response = CallWithoutBoxes(method, path);
    EXPECT_EQ(response.status, 503) << path;
    EXPECT_EQ(response.message(), "start the server with --boxes on");
  }
}

TEST_F(E2bUnavailableTest, AWrongMethodAndAnUnknownPathKeepTheShape) {
  ParsedResponse wrong = CallWithoutBoxes("PUT", "/sandboxes");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers.Get("allow"), "POST, GET, HEAD");
  EXPECT_EQ(CallWithoutBoxes("GET", "/sandboxes/x/nothing").status, 404);
}

}  // namespace
}  // namespace viv::e2b
