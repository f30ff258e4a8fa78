#include "agent/control.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace viv::agent {
namespace {

class ControlTest : public ::testing::Test {
 protected:
  ControlTest() {
    AddControlRoutes(context_, router_, [this] { return running_; });
    auto errors = [](int status, std::string message, const http::Request&) {
      return ControlError(status, std::move(message));
    };
    handler_ = RequireAccessToken(context_)(http::Dispatch(router_, errors));
  }

  http::Response Ask(const std::string& method,
                     const std::string& target,
                     const std::string& body = "",
                     const std::string& token = "") {
    http::Request request;
    request.method = method;
    request.path = target.substr(0, target.find('?'));
    if (request.path.size() < target.size()) request.query = target.substr(request.path.size() + 1);
    request.body = body;
    if (!token.empty()) request.headers.Add("X-Access-Token", token);
    asio::io_context io;
    http::Response response;
    asio::co_spawn(io, handler_(request), [&](std::exception_ptr failure, http::Response answer) {
      EXPECT_FALSE(failure);
      response = std::move(answer);
    });
    io.run();
    return response;
  }

  Context context_;
  std::size_t running_ = 0;
  http::Router router_;
  http::Handler handler_;
};

TEST_F(ControlTest, IsHealthy) {
  EXPECT_EQ(Ask("GET", "/health").status, 204);
}

TEST_F(ControlTest, TellsTheHostHowMuchRuns) {
  running_ = 3;
  EXPECT_EQ(Ask("GET", "/activity").body, R"({"running":3})");
  context_.access_token = "secret";
  EXPECT_EQ(Ask("GET", "/activity").status, 401);
  EXPECT_EQ(Ask("GET", "/activity", "", "secret").status, 200);
}

TEST_F(ControlTest, InitSetsWhatItNamesAndAllVariables) {
  EXPECT_EQ(Ask("POST", "/init", R"({"accessToken":"t","envVars":{"A":"1","B":"2"},
      "defaultUser":"me","defaultWorkdir":"/w","timestamp":"2026-01-01T00:00:00Z","volumeMounts":[]})")
                .status,
            204);
  EXPECT_EQ(Ask("POST", "/init", R"({"envVars":{"B":"3"},"accessToken":null})").status, 204);
  EXPECT_EQ(Ask("POST", "/init").status, 204);
  EXPECT_EQ(context_.access_token, "t");
  EXPECT_EQ(context_.default_user, "me");
  EXPECT_EQ(context_.default_workdir, "/w");
  EXPECT_EQ(Ask("GET", "/envs", "", "t").body, R"({"B":"3"})");
}

TEST_F(ControlTest, InitRefusesABadBodyAsAWhole) {
  for (const char* body : {"{", "[]", "5", R"({"accessToken":5})", R"({"envVars":[]})",
                           R"({"envVars":{"A":1}})", R"({"defaultUser":"x","envVars":{"A=":"1"}})",
                           R"({"envVars":{"":"1"}})", R"({"envVars":{"A":"\u0000"}})"}) {
    http::Response response = Ask("POST", "/init", body);
    EXPECT_EQ(response.status, 400) << body;
    EXPECT_EQ(ParseJson(response.body)->at("code"), 400) << body;
  }
  EXPECT_EQ(context_.default_user, "user");
  EXPECT_TRUE(context_.variables.empty());
}

TEST_F(ControlTest, AsksForTheTokenOnceThereIsOne) {
  EXPECT_EQ(Ask("GET", "/envs").status, 200);
  context_.access_token = "secret";
  for (const char* token : {"", "wrong", "secre", "secret "}) {
    http::Response response = Ask("GET", "/envs", "", token);
    EXPECT_EQ(response.status, 401);
    EXPECT_EQ(response.body,
              R"({"code":401,"message":"unauthorized access, please provide a valid access token )"
              R"(or method signing if supported"})");
  }
  EXPECT_EQ(Ask("GET", "/envs", "", "secret").status, 200);
  EXPECT_EQ(Ask("GET", "/logs").status, 401);
  EXPECT_EQ(Ask("GET", "/metrics").status, 401);
  EXPECT_EQ(Ask("POST", "/process.Process/List", "{}").status, 401);
}

TEST_F(ControlTest, LetsOnlyTheExceptionsPass) {
  context_.access_token = "secret";
  EXPECT_EQ(Ask("GET", "/health").status, 204);
  EXPECT_EQ(Ask("POST", "/init").status, 204);
  EXPECT_EQ(Ask("GET", "/files").status, 404);  // past the token; nobody serves it here
  EXPECT_EQ(Ask("POST", "/files").status, 404);
  for (const auto& [method, path] :
       {std::pair("POST", "/health"), std::pair("GET", "/init"), std::pair("DELETE", "/files"),
        std::pair("POST", "/files/compose"), std::pair("GET", "/files/"),
        std::pair("GET", "//health")}) {
    EXPECT_EQ(Ask(method, path).status, 401) << method << path;
  }
}

TEST_F(ControlTest, TellsMetricsAndLogs) {
  json::value metrics = *ParseJson(Ask("GET", "/metrics").body);
  for (const char* name : {"ts", "cpu_count", "cpu_used_pct", "mem_total", "mem_used", "mem_cache",
                           "mem_total_mib", "mem_used_mib", "disk_used", "disk_total"}) {
    EXPECT_NE(Find(metrics, name), nullptr) << name;
  }
  context_.logs.Add(LogRing::Level::kInfo, "one");
  context_.logs.Add(LogRing::Level::kInfo, "two");
  EXPECT_EQ(ParseJson(Ask("GET", "/logs").body)->at("logs").as_array().size(), 2u);
  EXPECT_EQ(ParseJson(Ask("GET", "/logs?after=1").body)->at("logs").as_array().size(), 1u);
  EXPECT_EQ(Ask("GET", "/logs?after=x").status, 400);
  EXPECT_EQ(Ask("GET", "/logs?after=-1").status, 400);
}

TEST_F(ControlTest, AnswersUnknownPathsWithCodeAndMessage) {
  http::Response response = Ask("GET", "/nowhere");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(ParseJson(response.body)->at("code"), 404);
}

}  // namespace
}  // namespace viv::agent
