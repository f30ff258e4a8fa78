#include <gmock/gmock.h>

#include "agent/mcp/descendants.h"
#include "agent/mcp/mcp_test_support.h"

namespace viv::agent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class McpFailureTest : public McpFixture {};

TEST_F(McpFailureTest, ACrashIsToldToTheCallUnderWayAndTheNextStartsItAnew) {
  Count();
  EXPECT_EQ(Count(), 2);
  std::string text = ErrorText(Call("die", R"({"code":3})"));
  EXPECT_THAT(text, AllOf(HasSubstr("'test'"), HasSubstr("exit status 3"), HasSubstr("out of luck"),
                          HasSubstr("next call starts it anew")));
  EXPECT_EQ(Count(), 1);
  EXPECT_THAT(ErrorText(Call("kill")), HasSubstr("signal: killed"));
  EXPECT_EQ(Count(), 1);
}

TEST_F(McpFailureTest, OneThatClosesItsOutputIsEnded) {
  EXPECT_THAT(ErrorText(Call("close")), HasSubstr("closed its output"));
  EXPECT_EQ(Count(), 1);
}

TEST_F(McpFailureTest, WhatCannotStartSaysWhy) {
  command_ = {"/no/such/program"};
  EXPECT_THAT(ErrorText(Call("count")),
              AllOf(HasSubstr("'test' cannot be started"), HasSubstr("/no/such/program")));
  command_ = {"no-such-program-anywhere"};
  EXPECT_THAT(ErrorText(Call("initialize", R"({"protocolVersion":"2025-11-25"})")),
              HasSubstr("not found"));
  command_ = {"sh", "-c", "echo broken setup >&2; exit 4"};
  EXPECT_THAT(ErrorText(Call("count")),
              AllOf(HasSubstr("did not start"), HasSubstr("exit status 4"),
                    HasSubstr("before it answered initialize"), HasSubstr("broken setup")));
  command_ = {"sh", "-c", "echo '{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":1}}'; cat"};
  EXPECT_THAT(ErrorText(Call("count")), HasSubstr("refused initialize"));
}

TEST_F(McpFailureTest, OneThatNeverAnswersShowsTheEndOfItsStandardError) {
  start_seconds_ = 1;
  command_ = {
      "sh", "-c",
      "for i in $(seq 100); do echo line $i. >&2; done; printf 'npm: no registry' >&2; cat >"
      "/dev/null"};
  std::string text = ErrorText(Call("count"));
  EXPECT_THAT(text, AllOf(HasSubstr("did not answer initialize within 1 seconds"),
                          HasSubstr("the end of its standard error:\nline 82.\n"),
                          HasSubstr("\nline 100.\nnpm: no registry")));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("line 81.")));
  command_ = {"sh", "-c", "yes | tr -d '\\n' | head -c 1000000 >&2; cat > /dev/null"};
  EXPECT_LT(ErrorText(Call("count")).size(), 20'000U);
  command_ = {"sh", "-c", "cat > /dev/null"};
  EXPECT_THAT(ErrorText(Call("count")), HasSubstr("it wrote nothing to standard error"));
}

TEST_F(McpFailureTest, LinesThatAreNoJsonAreLoggedAndIgnored) {
  for (const char* text :
       {"welcome!", "", "{", "[]", "3", "{\\\"jsonrpc\\\":\\\"1.0\\\"}",
        "{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":99,\\\"result\\\":{}}",
        "{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":0,\\\"result\\\":{\\\"instructions\\\":1}}",
        "{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":{},\\\"result\\\":{}}"}) {
    std::string both =
        std::string(text) + R"(\n{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"ok\":true}})";
    json::value answer = Call("raw", "{\"text\":\"" + both + "\"}");
    EXPECT_EQ(WriteJson(answer.at("result")), R"({"ok":true})") << text;
  }
  EXPECT_THAT(Ask("GET /logs HTTP/1.1"), HasSubstr("no JSON on standard output: welcome!"));
  EXPECT_EQ(FindString(Call("initialize", R"({"protocolVersion":"2025-11-25"})").at("result"),
                       "instructions"),
            "be kind");
}

TEST_F(McpFailureTest, ALineWithoutEndStopsTheServer) {
  command_ = {"sh", "-c",
              "echo '{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}'; read a; read b; read c;"
              "yes | tr -d '\\n'"};
  EXPECT_THAT(ErrorText(Call("count")), HasSubstr("a line of more than 32 MiB"));
}

TEST_F(McpFailureTest, AnIdleServerIsStoppedUnlessItHasProcesses) {
  idle_seconds_ = 1;
  EXPECT_EQ(Count(), 1);
  std::string mark = R"("event_type":"process_end")";
  while (Ask("GET /logs HTTP/1.1").find(mark) == std::string::npos) {
  }
  EXPECT_EQ(Count(), 1);
  Call("spawn", R"({"script":"sleep 3; touch )" + folder_ + R"(/done"})");
  while (Ask("GET /activity HTTP/1.1").find(R"("running":1)") != std::string::npos) {
  }
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/done"));
}

TEST_F(McpFailureTest, AFloodOfNotificationsDoesNotHoldUpTheResponse) {
  http::RawClient slow = Connect();
  slow.Send(McpPost(
      R"({"jsonrpc":"2.0","id":1,"method":"progress","params":{"steps":5000,"_meta":{"progressToken":1}}})"));
  EXPECT_EQ(Count(), 1);  // it is served behind the flood, which nobody reads
  std::string answer = slow.ReadToEnd();
  EXPECT_THAT(answer, HasSubstr(R"("id":1,"result")"));
}

TEST_F(McpFailureTest, RefusesWhatIsNoRequest) {
  for (const char* body :
       {"", "{", "[]", "{}", R"({"server":{}})", R"({"server":{"name":"a"}})",
        R"({"server":{"name":"a","command":[]}})", R"({"server":{"name":"a","command":[1]}})",
        R"({"server":{"name":"a","command":["b"]}})",
        R"({"server":{"name":"a","command":["b"]},"message":3})",
        R"({"server":{"name":"a","command":["b"]},"message":{"jsonrpc":"2.0"}})",
        R"({"server":{"name":"a","command":["b"],"idle_seconds":0},"message":{}})",
        R"({"server":{"name":"a","command":["b"],"start_seconds":3601},"message":{}})",
        R"({"server":{"name":"a","command":["b"],"variables":{"A":1}},"message":{}})"}) {
    EXPECT_THAT(Ask("POST /mcp HTTP/1.1", body), StartsWith("HTTP/1.1 400 ")) << body;
  }
}

TEST(DescendantsTest, CountsChildrenAndTheirsButNotTheDead) {
  char pattern[] = "/tmp/viv-proc-XXXXXX";
  std::string proc = ::mkdtemp(pattern);
  auto put = [&proc](const std::string& pid, const std::string& rest) {
    std::filesystem::create_directory(proc + "/" + pid);
    std::ofstream(proc + "/" + pid + "/stat") << pid << " (a) b) (" << rest;
  };
  put("10", ") S 1 10 10 0 -1");
  put("11", ") S 10 10 10 0 -1");  // a child
  put("12", ") S 11 12 12 0 -1");  // its child, in a session of its own
  put("13", ") S 1 10 10 0 -1");   // an orphan of the session
  put("14", ") Z 10 10 10 0 -1");  // dead
  put("15", ") S 1 15 15 0 -1");   // another's
  put("self", ") S 10 10 10 0 -1");
  EXPECT_EQ(CountDescendants(10, proc), 3u);
  EXPECT_EQ(CountDescendants(15, proc), 0u);
  EXPECT_EQ(CountDescendants(10, proc + "/none"), 0u);
  std::filesystem::remove_all(proc);
}

}  // namespace
}  // namespace viv::agent
