#include <gtest/gtest.h>

#include "http/client.h"
#include "http/router.h"
#include "http/server_test_support.h"

namespace viv::http {
namespace {

Task<Response> ShowId(Request& request) {
  co_return Text(200, std::string(request.Parameter("id")));
}

class DispatchTest : public testing::Test {
 protected:
  DispatchTest() { router_.Add("GET", "/a/{id}", ShowId); }

  ClientResponse Fetch(std::string method, std::string_view target) {
    RunningServer server(Dispatch(router_, RenderForTest));
    ClientRequest request;
    request.method = std::move(method);
    request.url = server.Url(target);
    Result<ClientResponse> response = FetchBlocking(std::move(request));
    EXPECT_TRUE(response);
    return response ? *std::move(response) : ClientResponse();
  }

  Router router_;
};

TEST_F(DispatchTest, GivesTheHandlerItsParameters) {
  EXPECT_EQ(Fetch("GET", "/a/x%2Fy?q=1").body, "x/y");
}

TEST_F(DispatchTest, AnswersAnUnknownPathWith404) {
  EXPECT_EQ(Fetch("GET", "/b").status, 404);
  EXPECT_EQ(Fetch("GET", "/a/%zz").status, 404);
}

TEST_F(DispatchTest, AnswersAnUnknownMethodWith405AndTheAllowedOnes) {
  ClientResponse response = Fetch("POST", "/a/1");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.headers.Get("allow"), "GET, HEAD");
}

}  // namespace
}  // namespace viv::http
