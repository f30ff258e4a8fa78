#include "agent/dataplane/command_request.h"

#include <gtest/gtest.h>

#include "agent/dataplane/execute_frames.h"

namespace viv::agent {
namespace {

Result<CommandRequest> ReadRequestText(const std::string& text) {
  return ReadCommandRequest(*ParseJson(text));
}

std::string RequestErrorOf(const std::string& text) {
  auto request = ReadRequestText(text);
  return request ? "" : request.error().message;
}

TEST(CommandRequestTest, HasTheDefaultsOfTheProtocol) {
  auto request = ReadRequestText(R"({"command":"ls"})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->timeout, std::chrono::seconds(60));
  EXPECT_EQ(request->idle_timeout, std::chrono::seconds(300));
  EXPECT_EQ(request->ttl, std::chrono::seconds(600));
  EXPECT_FALSE(request->pty || request->close_stdin || request->kill_on_disconnect);
}

TEST(CommandRequestTest, ZeroIsNoTimeoutAndMinusOneIsForEver) {
  auto request = ReadRequestText(
      R"({"command":"ls","timeout_seconds":0,"idle_timeout_seconds":-1,"ttl_seconds":-1})");
  ASSERT_TRUE(request);
  EXPECT_FALSE(request->timeout || request->idle_timeout || request->ttl);
}

TEST(CommandRequestTest, TakesBothNamesOfTheTimeoutAndFractions) {
  EXPECT_EQ(ReadRequestText(R"({"command":"ls","timeout":7})")->timeout, std::chrono::seconds(7));
  EXPECT_EQ(ReadRequestText(R"({"command":"ls","timeout":7,"timeout_seconds":1.5})")->timeout,
            std::chrono::milliseconds(1500));
  EXPECT_TRUE(ReadRequestText(R"({"command":"ls","timeout_seconds":1e300})")->timeout);
}

TEST(CommandRequestTest, ReadsRunConfigOrTheOlderMembersNeverBoth) {
  auto request = ReadRequestText(
      R"({"command":"ls","run_config":{"user":"u","work_dir":"/w","env_vars":{"A":"b"}}})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->user, "u");
  EXPECT_EQ(request->folder, "/w");
  EXPECT_EQ(request->variables, (Variables{{"A", "b"}}));
  EXPECT_EQ(ReadRequestText(R"({"command":"ls","cwd":"/w","env":{"A":"b"}})")->folder, "/w");
  EXPECT_NE(RequestErrorOf(R"({"command":"ls","run_config":{},"cwd":"/w"})").find("run_config"),
            std::string::npos);
  EXPECT_NE(RequestErrorOf(R"({"command":"ls","run_config":{},"env":{}})").find("run_config"),
            std::string::npos);
  EXPECT_EQ(RequestErrorOf(R"({"command":"ls","run_config":null,"cwd":"/w"})"), "");
}

TEST(CommandRequestTest, NamesTheMemberThatIsWrong) {
  EXPECT_EQ(RequestErrorOf(R"({})"), "command: it is missing");
  EXPECT_EQ(RequestErrorOf(R"({"command":3})"), "command: text or a list of texts is expected");
  EXPECT_EQ(RequestErrorOf(R"({"command":[]})"), "command: a list begins with the program");
  EXPECT_EQ(RequestErrorOf(R"({"command":["a",1]})"), "command: a list of texts is expected");
  for (std::string member :
       {R"("timeout_seconds":-1)", R"("timeout_seconds":"1")", R"("idle_timeout_seconds":-2)",
        R"("ttl_seconds":-0.5)", R"("pty":1)", R"("close_stdin":"yes")", R"("shell":1)",
        R"("env":[])", R"("env":{"A":1})", R"("cwd":1)", R"("run_config":"x")", R"("cols":70000)",
        R"("command_id":1)", R"("command_id":"a b")"}) {
    std::string name = member.substr(1, member.find('"', 1) - 1);
    EXPECT_TRUE(RequestErrorOf(R"({"command":"ls",)" + member + "}").starts_with(name)) << member;
  }
  EXPECT_NE(RequestErrorOf(R"({"command":"ls","command_id":")" + std::string(129, 'a') + "\"}"),
            "");
}

TEST(ExecuteFramesTest, ReadsWhatClientsSay) {
  EXPECT_EQ(ReadClientFrame(R"({"type":"kill"})")->type, ClientFrame::Type::kKill);
  EXPECT_EQ(ReadClientFrame(R"({"type":"input","data":"x"})")->data, "x");
  EXPECT_EQ(ReadClientFrame(R"({"type":"resize","cols":80,"rows":24})")->size.columns, 80);
  EXPECT_EQ(ReadClientFrame(R"({"type":"ssh_agent_data","data":1})")->type,
            ClientFrame::Type::kIgnored);
  auto opening = ReadFirstFrame(R"({"type":"reconnect","command_id":"a","stdout_offset":5})");
  ASSERT_TRUE(opening);
  EXPECT_TRUE(opening->reconnects);
  EXPECT_EQ(opening->offsets, (CommandOffsets{5, 0}));
}

TEST(ExecuteFramesTest, RefusesWhatIsNoFrame) {
  for (const char* text :
       {"", "{", "[]", "3", "null", "{}", R"({"type":3})", R"({"type":"shout"})",
        R"({"type":"execute"})", R"({"type":"reconnect"})", R"({"type":"input"})",
        R"({"type":"input","data":3})", R"({"type":"resize"})",
        R"({"type":"resize","cols":0,"rows":1})", R"({"type":"resize","cols":-1,"rows":99999})"}) {
    EXPECT_FALSE(ReadClientFrame(text)) << text;
    EXPECT_FALSE(ReadFirstFrame(text)) << text;
  }
  EXPECT_FALSE(ReadFirstFrame(R"({"type":"reconnect","command_id":"a","stdout_offset":-1})"));
  EXPECT_FALSE(ReadFirstFrame(R"({"type":"kill"})"));
  std::string large(kClientFrameBytesMax, 'x');
  EXPECT_FALSE(ReadClientFrame(R"({"type":"input","data":")" + large + "\"}"));
}

}  // namespace
}  // namespace viv::agent
