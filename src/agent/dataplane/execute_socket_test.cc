#include "agent/dataplane/execute_socket.h"

#include "agent/dataplane/commands_test_support.h"

namespace viv::agent {
namespace {

class ExecuteSocketTest : public CommandsFixture {};

TEST_F(ExecuteSocketTest, TellsStartOutputExitAndClosesNormally) {
  TestSocket& socket = Run("printf out; printf err >&2; exit 3", R"(,"command_id":"c1")");
  EXPECT_EQ(socket.TypeOf(0), "started");
  EXPECT_EQ(socket.id(), "c1");
  EXPECT_GT(socket.pid(), 1);
  EXPECT_EQ(socket.stdout_text, "out");
  EXPECT_EQ(socket.stderr_text, "err");
  EXPECT_EQ(socket.TypeOf(socket.frames.size() - 1), "exit");
  EXPECT_EQ(socket.exit_code(), 3);
  EXPECT_EQ(socket.close_code, 1000);
  EXPECT_EQ(commands_->running(), 0u);
}

TEST_F(ExecuteSocketTest, CountsOffsetsPerStream) {
  TestSocket& socket = Run("printf 12345 >&2; sleep 0.05; printf abc; sleep 0.05; printf 6 >&2");
  EXPECT_EQ(socket.Last("stdout")->at("offset").as_int64(), 0);
  EXPECT_EQ(socket.Last("stderr")->at("offset").as_int64(), 5);
}

TEST_F(ExecuteSocketTest, MakesUpAnIdWhenThereIsNone) {
  TestSocket& socket = Run("true");
  EXPECT_EQ(socket.id().size(), 36u);
  EXPECT_NE(socket.id(), Run("true").id());
}

TEST_F(ExecuteSocketTest, TheSameIdNeverStartsASecondProcess) {
  std::string command = Execute("echo x >> runs; cat runs; read line; echo $line",
                                R"(,"command_id":"same","cwd":")" + folder_ + "\"");
  TestSocket& first = AwaitOutput(Open(command), "x");
  TestSocket& second = AwaitOutput(Open(command), "x");
  EXPECT_EQ(first.pid(), second.pid());
  EXPECT_EQ(commands_->running(), 1u);
  second.Say(Input("bye\n"));
  Finish(first);
  Finish(second);
  EXPECT_EQ(first.stdout_text, "x\nbye\n");
  EXPECT_EQ(second.stdout_text, "x\nbye\n");
  EXPECT_EQ(Finish(Open(command)).stdout_text, "x\nbye\n");
}

TEST_F(ExecuteSocketTest, ReconnectsFromOffsetsAlsoAfterTheEnd) {
  TestSocket& first = Run("printf 0123456789; printf abcdef >&2; exit 4");
  TestSocket& again = Finish(Open(Reconnect(first.id(), 7, 2)));
  EXPECT_EQ(again.TypeOf(0), "started");
  EXPECT_EQ(again.id(), first.id());
  EXPECT_EQ(again.stdout_text, "789");
  EXPECT_EQ(again.stderr_text, "cdef");
  EXPECT_EQ(again.Last("stdout")->at("offset").as_int64(), 7);
  EXPECT_EQ(again.exit_code(), 4);
  TestSocket& past = Finish(Open(Reconnect(first.id(), 999, 6)));
  EXPECT_EQ(past.stdout_text + past.stderr_text, "");
  EXPECT_EQ(past.exit_code(), 4);
}

TEST_F(ExecuteSocketTest, ALostSocketIsADetach) {
  TestSocket& first = AwaitOutput(Open(Execute("echo one; read line; echo $line")), "one");
  first.Leave();
  Finish(first);
  EXPECT_EQ(commands_->running(), 1u);
  TestSocket& again = Open(Reconnect(first.id(), 4));
  again.Say(Input("two\n"));
  EXPECT_EQ(Finish(again).stdout_text, "two\n");
  EXPECT_EQ(again.exit_code(), 0);
}

TEST_F(ExecuteSocketTest, AnOffsetThatIsTooOldBecomesTheOldestKept) {
  TestSocket& first = Run("head -c 6000000 /dev/zero | tr '\\0' a; printf end");
  EXPECT_EQ(first.stdout_text.size(), 6'000'003u);
  TestSocket& again = Finish(Open(Reconnect(first.id())));
  EXPECT_GE(again.stdout_text.size(), ByteLog::kWindowBytes);
  EXPECT_LT(again.stdout_text.size(), 5'500'000u);
  EXPECT_EQ(again.frames[1].at("offset").as_int64(),
            static_cast<std::int64_t>(6'000'003 - again.stdout_text.size()));
  EXPECT_TRUE(again.stdout_text.ends_with("aend"));
}

TEST_F(ExecuteSocketTest, UnknownAndExpiredIdsAreToldApart) {
  EXPECT_EQ(Finish(Open(Reconnect("nobody"))).error_type(), "CommandNotFound");
  TestSocket& brief = Run("true", R"(,"ttl_seconds":0)");
  EXPECT_EQ(brief.exit_code(), 0);
  TestSocket& late = Finish(Open(Reconnect(brief.id())));
  EXPECT_EQ(late.error_type(), "SessionExpired");
  EXPECT_EQ(late.TypeOf(0), "error");
  EXPECT_EQ(late.close_code, 1000);
  // Nor is it run again.
  TestSocket& repeated = Run("true", R"(,"command_id":")" + brief.id() + "\"");
  EXPECT_EQ(repeated.error_type(), "SessionExpired");
}

TEST_F(ExecuteSocketTest, NeverSplitsACharacter) {
  TestSocket& socket = AwaitOutput(
      Open(Execute("printf 'a\\342\\202'; read line; printf '\\254b'; read line")), "a");
  socket.Say(Input("\n"));
  AwaitOutput(socket, "b");
  socket.Say(Input("\n"));
  Finish(socket);
  EXPECT_EQ(socket.stdout_text, "a€b");
  EXPECT_EQ(socket.Last("stdout")->at("offset").as_int64(), 1);
}

TEST_F(ExecuteSocketTest, AReconnectInsideTheTextGoesOnWithWholeCharacters) {
  TestSocket& socket = Run("for i in $(seq 30000); do printf '€uro '; done");
  EXPECT_EQ(socket.stdout_text.size(), 30'000u * 7);
  TestSocket& again = Finish(Open(Reconnect(socket.id(), 7 * 20'000)));
  EXPECT_EQ(again.stdout_text, socket.stdout_text.substr(7 * 20'000));
}

TEST_F(ExecuteSocketTest, ReplacesWhatIsNoTextAndKeepsTrueOffsets) {
  TestSocket& socket =
      AwaitOutput(Open(Execute("printf '\\377\\376a'; read line; printf 'b\\342\\202'")), "a");
  EXPECT_EQ(socket.stdout_text, "\uFFFD\uFFFDa");
  socket.Say(Input("\n"));
  Finish(socket);
  EXPECT_EQ(socket.stdout_text, "\uFFFD\uFFFDab\uFFFD\uFFFD");
  bool seen = false;
  for (const json::value& frame : socket.frames) {
    if (FindString(frame, "data").starts_with("b")) seen = frame.at("offset").as_int64() == 3;
  }
  EXPECT_TRUE(seen);
}

TEST_F(ExecuteSocketTest, KillEndsTheWholeGroup) {
  TestSocket& socket = AwaitOutput(Open(Execute("sleep 600 & echo up; wait")), "up");
  socket.Say(R"({"type":"kill"})");
  EXPECT_EQ(Finish(socket).exit_code(), 137);
  EXPECT_EQ(socket.close_code, 1000);
}

TEST_F(ExecuteSocketTest, AKillIsTheLastWordOfAClientThatLeaves) {
  TestSocket& socket = AwaitOutput(Open(Execute("echo up; sleep 600")), "up");
  socket.Say(R"({"type":"kill"})");
  socket.Leave();
  RunUntilNothingRuns();
  EXPECT_EQ(Finish(Open(Reconnect(socket.id()))).exit_code(), 137);
}

TEST_F(ExecuteSocketTest, ATimeoutKillsAndIsToldAsSuch) {
  TestSocket& socket = Run("echo before; sleep 600", R"(,"timeout_seconds":0.2)");
  EXPECT_EQ(socket.stdout_text, "before\n");
  EXPECT_EQ(socket.error_type(), "CommandTimeout");
  EXPECT_NE(socket.error_text().find("0.2 s"), std::string::npos);
  EXPECT_EQ(socket.Last("exit"), nullptr);
  EXPECT_EQ(socket.close_code, 1000);
  EXPECT_EQ(commands_->running(), 0u);
  EXPECT_EQ(Finish(Open(Reconnect(socket.id()))).error_type(), "CommandTimeout");
}

TEST_F(ExecuteSocketTest, NobodyAttachedForTooLongEndsIt) {
  TestSocket& socket =
      AwaitOutput(Open(Execute("echo up; sleep 600", R"(,"idle_timeout_seconds":0.05)")), "up");
  socket.Leave();
  RunUntilNothingRuns();
  EXPECT_EQ(Finish(Open(Reconnect(socket.id()))).exit_code(), 137);
}

TEST_F(ExecuteSocketTest, WhileSomebodyIsAttachedItIsNotIdle) {
  TestSocket& socket = Run("sleep 0.2; echo through", R"(,"idle_timeout_seconds":0.02)");
  EXPECT_EQ(socket.stdout_text, "through\n");
  EXPECT_EQ(socket.exit_code(), 0);
}

TEST_F(ExecuteSocketTest, KillOnDisconnectWaitsForTheLastClient) {
  TestSocket& first = AwaitOutput(
      Open(Execute("echo up; read line; echo $line; sleep 600", R"(,"kill_on_disconnect":true)")),
      "up");
  TestSocket& second = AwaitOutput(Open(Reconnect(first.id())), "up");
  first.Leave();
  Finish(first);
  second.Say(Input("alive\n"));
  AwaitOutput(second, "alive");
  EXPECT_EQ(commands_->running(), 1u);
  second.Leave();
  RunUntilNothingRuns();
}

}  // namespace
}  // namespace viv::agent
