#include "agent/dataplane/execute_once.h"

#include "agent/dataplane/commands_test_support.h"

namespace viv::agent {
namespace {

class ExecuteOnceTest : public CommandsFixture {};

TEST_F(ExecuteOnceTest, AnswersWithEverythingAtTheEnd) {
  OnceAnswer answer = Once(R"({"command":"echo out; echo err >&2; exit 3","timeout":30})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(WriteJson(answer.body), R"({"stdout":"out\n","stderr":"err\n","exit_code":3})");
  EXPECT_EQ(commands_->running(), 0u);
}

TEST_F(ExecuteOnceTest, AListIsAProgramAndItsArguments) {
  OnceAnswer answer = Once(R"({"command":["printf","%s|","$HOME","a b"],"env":{"X":"1"}})");
  EXPECT_EQ(FindString(answer.body, "stdout"), "$HOME|a b|");
  EXPECT_EQ(Once(R"({"command":["missing-program"]})").error(), "CommandError");
}

TEST_F(ExecuteOnceTest, StandardInputIsEmpty) {
  EXPECT_EQ(FindString(Once(R"({"command":"cat; echo end"})").body, "stdout"), "end\n");
}

TEST_F(ExecuteOnceTest, ATimeoutIs408) {
  OnceAnswer answer = Once(R"({"command":"sleep 600","timeout_seconds":0.05})");
  EXPECT_EQ(answer.status, 408);
  EXPECT_EQ(answer.error(), "CommandTimeout");
  EXPECT_EQ(commands_->running(), 0u);
}

TEST_F(ExecuteOnceTest, WhatCannotRunIs400) {
  for (const char* body :
       {"", "no json", "[]", "{}", R"({"command":""})", R"({"command":"ls","timeout":"x"})",
        R"({"command":"ls","cwd":"/missing"})", R"({"command":"ls","run_config":{"user":"who"}})",
        R"({"command":"ls","run_config":{},"env":{"A":"b"}})"}) {
    OnceAnswer answer = Once(body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_EQ(answer.error(), "CommandError") << body;
    EXPECT_NE(answer.message(), "") << body;
  }
  EXPECT_EQ(Once(R"({"command":"ls","pty":true})").status, 409);
}

TEST_F(ExecuteOnceTest, OfAVeryLongOutputTheEndIsTold) {
  OnceAnswer answer = Once(R"({"command":"head -c 9000000 /dev/zero | tr '\\0' a; printf end"})");
  std::string_view told = FindString(answer.body, "stdout");
  EXPECT_EQ(told.size(), ByteLog::kWindowBytes);
  EXPECT_TRUE(told.ends_with("aend"));
}

TEST_F(ExecuteOnceTest, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(FindString(Once(R"({"command":"printf 'a\\377b'"})").body, "stdout"), "a\uFFFDb");
}

TEST_F(ExecuteOnceTest, AClientThatHangsUpTakesTheCommandWithIt) {
  client_end_.gone = true;
  Once(R"({"command":"sleep 600"})");
  RunUntilNothingRuns();
}

TEST_F(ExecuteOnceTest, ANamedCommandCanBeReadAgain) {
  Once(R"({"command":"echo kept","command_id":"named"})");
  EXPECT_EQ(Finish(Open(Reconnect("named"))).stdout_text, "kept\n");
  EXPECT_EQ(FindString(Once(R"({"command":"echo other","command_id":"named"})").body, "stdout"),
            "kept\n");
}

}  // namespace
}  // namespace viv::agent
