#include "agent/mcp/mcp_servers.h"

#include <gmock/gmock.h>

#include "agent/mcp/mcp_test_support.h"

namespace viv::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class McpServersTest : public McpFixture {};

TEST_F(McpServersTest, OneProcessServesEveryCaller) {
  EXPECT_EQ(Count(), 1);
  EXPECT_EQ(Count(), 2);
  json::value first = Call("count");
  json::value second = Call("count");
  EXPECT_EQ(first.at("result").at("pid"), second.at("result").at("pid"));
  EXPECT_EQ(first.at("id").as_int64(), 7);
}

TEST_F(McpServersTest, AnswersTheHandshakeFromTheOneInitializeResult) {
  json::value answer = Call("initialize", R"({"protocolVersion":"2025-03-26"})");
  EXPECT_EQ(FindString(answer.at("result"), "protocolVersion"), "2025-03-26");
  EXPECT_EQ(FindString(answer.at("result"), "instructions"), "be kind");
  EXPECT_EQ(FindString(answer.at("result").at("asked"), "protocolVersion"), "2025-11-25");
  answer = Call("initialize", R"({"protocolVersion":"1999-01-01"})");
  EXPECT_EQ(FindString(answer.at("result"), "protocolVersion"), "2025-11-25");
  EXPECT_THAT(ErrorText(Call("initialize")), HasSubstr("protocolVersion"));
}

TEST_F(McpServersTest, SpeaksTheRevisionWithoutAHandshake) {
  version_ = "2026-07-28";
  json::value answer = Call("server/discover");
  EXPECT_EQ(FindString(answer.at("result"), "resultType"), "complete");
  EXPECT_TRUE(answer.at("result").at("capabilities").as_object().contains("tools"));
  EXPECT_EQ(
      FindString(answer.at("result").at("_meta").at("io.modelcontextprotocol/serverInfo"), "name"),
      "test");
  EXPECT_EQ(WriteJson(Call("tools/list").at("result")),
            R"({"resultType":"complete","ttlMs":0,"cacheScope":"private"})");
  EXPECT_EQ(WriteJson(Call("ping").at("result")), R"({"resultType":"complete"})");
  version_ = "2025-11-25";
  EXPECT_EQ(WriteJson(Call("tools/list").at("result")), "{}");
}

TEST_F(McpServersTest, PingStartsNothing) {
  command_ = {"/no/such/program"};
  EXPECT_EQ(WriteJson(Call("ping")), R"({"jsonrpc":"2.0","id":7,"result":{}})");
}

TEST_F(McpServersTest, IdsAndNumbersComeBackAsTheyWereWritten) {
  for (const char* id : {"12345678901234567890123", "\"a\\u0062\"", "1.50", "-1"}) {
    std::string answer = AskMcp(std::string(R"({"jsonrpc":"2.0","id":)") + id +
                                R"(,"method":"raw","params":{"text":"{\"jsonrpc\":\"2.0\",)" +
                                R"(\"id\":$ID,\"result\":{\"n\":1.00,\"n2\":1e400}}"}})");
    EXPECT_THAT(answer, HasSubstr(std::string(R"({"jsonrpc":"2.0","id":)") + id +
                                  R"(,"result":{"n":1.00,"n2":1e400}})"));
  }
}

TEST_F(McpServersTest, AMessageOverSeveralLinesIsSentAsOne) {
  std::string answer = AskMcp(
      "{\n \"jsonrpc\": \"2.0\",\r\n \"id\": 1, \"method\": \"echo\",\n \"params\": "
      "{\n\"a\": \"x\\ny\"\n}\n}");
  ASSERT_EQ(LinesOf(answer).size(), 1u) << answer;
  EXPECT_EQ(FindString(LinesOf(answer)[0].at("result"), "a"), "x\ny");
}

TEST_F(McpServersTest, ProgressGoesToItsCallUnderTheCallersToken) {
  std::string answer = AskMcp(
      R"({"jsonrpc":"2.0","id":"x","method":"progress","params":{"steps":3,"_meta":{"a":1,"progressToken":"mine"}}})");
  std::vector<json::value> lines = LinesOf(answer);
  ASSERT_EQ(lines.size(), 5u) << answer;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(FindString(lines[i].at("params"), "progressToken"), "mine");
    EXPECT_EQ(lines[i].at("params").at("progress").as_int64(), i);
  }
  EXPECT_EQ(FindString(lines[3], "method"), "notifications/message");
  EXPECT_EQ(FindString(lines[4], "id"), "x");
  EXPECT_TRUE(lines[4].at("result").at("token").is_int64());
}

TEST_F(McpServersTest, NotificationsComeWhileTheCallGoesOn) {
  http::RawClient client = Connect();
  client.Send(McpPost(R"({"jsonrpc":"2.0","id":1,"method":"say-then-wait"})"));
  EXPECT_THAT(client.ReadThrough("now"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(McpServersTest, WhatTheServerAsksIsAnsweredHere) {
  json::value reply = Call("ask", R"({"method":"ping"})").at("result").at("reply");
  EXPECT_EQ(WriteJson(reply), R"({"jsonrpc":"2.0","id":"q1","result":{}})");
  for (const char* method : {"sampling/createMessage", "roots/list", "elicitation/create"}) {
    reply = Call("ask", std::string(R"({"method":")") + method + "\"}").at("result").at("reply");
    EXPECT_EQ(reply.at("error").at("code").as_int64(), -32601) << method;
  }
}

TEST_F(McpServersTest, ErrorsOfTheServerPass) {
  EXPECT_EQ(WriteJson(Call("fail")),
            R"({"jsonrpc":"2.0","id":7,"error":{"code":-5,"message":"no"}})");
}

TEST_F(McpServersTest, ACancelledCallEndsWithoutAResponse) {
  http::RawClient waiting = Connect();
  waiting.Send(McpPost(R"({"jsonrpc":"2.0","id":1,"method":"never"})", "a"));
  Count();  // the call before is on its way by now
  std::string other = AskMcp(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})", "b");
  EXPECT_THAT(other, StartsWith("HTTP/1.1 202 "));
  AskMcp(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"no"}})",
      "a");
  EXPECT_THAT(waiting.ReadToEnd(), StartsWith("HTTP/1.1 202 "));
  Count();
  EXPECT_EQ(ReadAll("cancelled"), "{\"requestId\": 1, \"reason\": \"no\"}\n");
}

TEST_F(McpServersTest, ACallerThatHangsUpCancelsItsCall) {
  {
    http::RawClient leaving = Connect();
    leaving.Send(McpPost(R"({"jsonrpc":"2.0","id":9,"method":"say-then-wait"})"));
    leaving.ReadThrough("now");
  }
  while (ReadAll("cancelled").empty()) Count();
  EXPECT_THAT(ReadAll("cancelled"), HasSubstr("hung up"));
  {
    http::RawClient silent = Connect();
    silent.Send(McpPost(R"({"jsonrpc":"2.0","id":9,"method":"never"})"));
    Count();
  }
  while (Split(ReadAll("cancelled"), '\n').size() < 3) Count();
}

TEST_F(McpServersTest, NotificationsOfTheHandshakeStayHere) {
  for (const char* method : {"notifications/initialized", "notifications/roots/list_changed"}) {
    std::string answer = AskMcp(std::string(R"({"jsonrpc":"2.0","method":")") + method + "\"}");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 202 "));
  }
  EXPECT_THAT(AskMcp(R"({"jsonrpc":"2.0","id":1,"result":{}})"), StartsWith("HTTP/1.1 202 "));
  EXPECT_EQ(Count(), 1);
}

TEST_F(McpServersTest, CallsUnderWayAndProcessesOfTheServerAreActivity) {
  EXPECT_EQ(Count(), 1);
  EXPECT_THAT(Ask("GET /activity HTTP/1.1"), HasSubstr(R"("running":0)"));
  std::int64_t pid = Call("spawn", R"({"script":"sleep 1000"})").at("result").at("pid").as_int64();
  EXPECT_GT(pid, 0);
  EXPECT_THAT(Ask("GET /activity HTTP/1.1"), HasSubstr(R"("running":1)"));
}

TEST_F(McpServersTest, StandardErrorIsInTheLog) {
  Count();
  while (Ask("GET /logs HTTP/1.1").find("hello on stderr") == std::string::npos) {
  }
  EXPECT_THAT(Ask("GET /logs HTTP/1.1"), HasSubstr("MCP server test: hello on stderr"));
}

TEST_F(McpServersTest, AnotherDefinitionStartsItAnew) {
  Count();
  EXPECT_EQ(Count(), 2);
  command_.push_back("--other");
  EXPECT_EQ(Count(), 1);
  EXPECT_EQ(Count(), 2);
}

}  // namespace
}  // namespace viv::agent
