#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "http/middleware/access_log.h"
#include "http/middleware/auth.h"
#include "http/middleware/errors.h"
#include "http/middleware/metrics.h"
#include "http/middleware/request_id.h"
#include "http/middleware/request_metrics.h"

namespace viv::http {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Task<Response> MiddlewareOk(Request&) {
  co_return Text(200, "fine");
}

Task<Response> MiddlewareThrow(Request&) {
  throw std::runtime_error("secret detail");
  co_return Response();
}

Task<Response> MiddlewareThrowNumber(Request&) {
  throw 7;
  co_return Response();
}

Response MiddlewareRender(int status, std::string message, const Request&) {
  return Json(status, "{\"error\":\"" + message + "\"}");
}

Response CallMiddleware(const Handler& handler, Request& request) {
  asio::io_context io;
  Response response;
  auto on_end = [&response](std::exception_ptr failure, Response answer) {
    if (failure) std::rethrow_exception(failure);
    response = std::move(answer);
  };
  asio::co_spawn(io, handler(request), on_end);
  io.run();
  return response;
}

TEST(RequestIdTest, AcceptsASaneId) {
  Request request;
  request.headers.Add("X-Request-Id", "abc-123_x.y:z");
  Response response = CallMiddleware(Compose({RequestId()}, MiddlewareOk), request);
  EXPECT_EQ(request.request_id, "abc-123_x.y:z");
  EXPECT_EQ(response.headers.Get("x-request-id"), "abc-123_x.y:z");
}

TEST(RequestIdTest, ReplacesAnAbsentOrDangerousId) {
  std::string too_long(129, 'a');
  for (const std::string& given : std::vector<std::string>{"", "a b", "x\ny", "\"", too_long}) {
    Request request;
    request.headers.Add("X-Request-Id", given);
    Response response = CallMiddleware(Compose({RequestId()}, MiddlewareOk), request);
    EXPECT_EQ(request.request_id.size(), 32u) << given;
    EXPECT_EQ(response.headers.Get("x-request-id"), request.request_id);
  }
}

TEST(AuthTest, CountsRequestsOfThoseItKnows) {
  int asked = 0;
  KeyLookup keys = [](std::string_view key) -> std::optional<Identity> {
    if (key != "good") return std::nullopt;
    return Identity{"alice", "key"};
  };
  keys.admit = [&asked](std::string_view account_id) -> std::optional<int> {
    EXPECT_EQ(account_id, "alice");
    if (++asked <= 1) return std::nullopt;
    return 7;
  };
  auto render = [](AuthFailure failure) {
    return Text(failure == AuthFailure::kTooManyRequests ? 429 : 401, "no");
  };
  const Handler handler = Compose({Auth(keys, render)}, MiddlewareOk);
  auto call = [&handler](std::string key) {
    Request request;
    request.headers.Add("X-API-Key", std::move(key));
    return CallMiddleware(handler, request);
  };
  EXPECT_EQ(call("bad").status, 401);
  EXPECT_EQ(asked, 0) << "who is not known has nothing to count for";
  EXPECT_EQ(call("good").status, 200);
  Response refused = call("good");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.Get("retry-after"), "7");
}

TEST(ErrorsTest, MakesAnExceptionA500WithoutItsText) {
  for (const Handler& handler : {Handler(MiddlewareThrow), Handler(MiddlewareThrowNumber)}) {
    Request request;
    Response response = CallMiddleware(Compose({Errors(MiddlewareRender)}, handler), request);
    EXPECT_EQ(response.status, 500);
    EXPECT_THAT(response.body, Not(HasSubstr("secret")));
  }
}

TEST(ErrorsTest, LeavesAResponseAlone) {
  Request request;
  EXPECT_EQ(CallMiddleware(Compose({Errors(MiddlewareRender)}, MiddlewareOk), request).body,
            "fine");
}

TEST(AccessLogTest, WritesNeitherQueryNorHeadersNorBody) {
  Request request;
  request.method = "GET";
  request.target = "/a?token=hidden";
  request.path = "/a";
  request.query = "token=hidden";
  request.headers.Add("Authorization", "hidden");
  request.body = "hidden";
  request.request_id = "r1";
  testing::internal::CaptureStderr();
  CallMiddleware(Compose({AccessLog()}, MiddlewareOk), request);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("http.request"), HasSubstr("method=GET"), HasSubstr("path=/a "),
                    HasSubstr("status=200"), HasSubstr("request=r1"), Not(HasSubstr("hidden"))));
}

TEST(AccessLogTest, LogsAThrowingHandlerToo) {
  Request request;
  testing::internal::CaptureStderr();
  Response response =
      CallMiddleware(Compose({Errors(MiddlewareRender), AccessLog()}, MiddlewareThrow), request);
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("status=500"));
}

TEST(RequestMetricsTest, CountsByMethodAndStatusClass) {
  Metrics metrics;
  Handler handler = Compose({RequestMetrics(metrics)}, MiddlewareOk);
  Request request;
  request.method = "POST";
  CallMiddleware(handler, request);
  CallMiddleware(handler, request);
  request.method = "BREW";
  CallMiddleware(handler, request);
  std::string text = metrics.Render();
  EXPECT_THAT(text, HasSubstr("http_requests_total{method=\"POST\",status=\"2xx\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("http_requests_total{method=\"other\",status=\"2xx\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("http_request_duration_seconds_count 3\n"));
  EXPECT_THAT(text, Not(HasSubstr("BREW")));
}

TEST(RequestMetricsTest, CountsAnExceptionAsA5xx) {
  Metrics metrics;
  Handler handler = Compose({Errors(MiddlewareRender), RequestMetrics(metrics)}, MiddlewareThrow);
  Request request;
  request.method = "GET";
  CallMiddleware(handler, request);
  EXPECT_THAT(metrics.Render(), HasSubstr("{method=\"GET\",status=\"5xx\"} 1\n"));
}

}  // namespace
}  // namespace viv::http
