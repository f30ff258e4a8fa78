#include "dialects/recoup/execution.h"

#include "dialects/recoup/test_support.h"

namespace viv::recoup {
namespace {

class ExecutionTest : public ::testing::Test {
 protected:
  ExecutionTest() {
    boxes::Box box;
    box.started_at_us = boxes_.now_us;
    execution_.box_id = boxes_.Put(box);
    execution_.id = "run_1";
    execution_.command = "make";
    execution_.begun_at_us = boxes_.now_us;
  }

  ExecutionResult FollowIt() { return RunTask(Follow(boxes_, execution_)); }

  ScriptedBoxes boxes_;
  Execution execution_;
};

TEST_F(ExecutionTest, GivesOutputAndExitCode) {
  boxes_.answers = {EventStreamResponse(
      Event("started", {{"command_id", "run_1"}, {"pid", 4}}) + OutputEvent("stdout", 0, "one ") +
      ": ping\n\n" + OutputEvent("stderr", 0, "oh\n") + OutputEvent("stdout", 4, "two\n") +
      Event("stream_end", {{"stream", "stdout"}, {"offset", 8}}) +
      Event("exit", {{"exit_code", 3}}))};
  ExecutionResult end = FollowIt();
  EXPECT_EQ(end.kind, ExecutionResult::Kind::kExited);
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_EQ(execution_.output.Text(), "one two\n");
  EXPECT_EQ(execution_.errors.Text(), "oh\n");
  json::value asked = boxes_.Asked().at(0);
  EXPECT_EQ(FindString(asked, "command_id"), "run_1");
  EXPECT_EQ(FindString(asked, "command"), "make");
  EXPECT_EQ(asked.at("timeout_seconds").as_int64(), 0);
  EXPECT_EQ(asked.at("idle_timeout_seconds").as_int64(), -1);
  EXPECT_FALSE(asked.as_object().contains("cwd"));
}

TEST_F(ExecutionTest, KeepsOutputBeforeItIsAcknowledged) {
  std::vector<std::int64_t> kept;
  execution_.save = [&kept](const Execution& now) -> Task<Status> {
    kept.push_back(now.output.end);
    co_return Status();
  };
  boxes_.answers = {
      EventStreamResponse(OutputEvent("stdout", 0, "12345") +
                          Event("ack_required", {{"stdout_offset", 5}, {"stderr_offset", 0}})),
      EventStreamResponse(OutputEvent("stdout", 5, "678") + Event("exit", {{"exit_code", 0}}))};
  EXPECT_EQ(FollowIt().kind, ExecutionResult::Kind::kExited);
  EXPECT_EQ(kept, std::vector<std::int64_t>{5});
  EXPECT_EQ(execution_.output.Text(), "12345678");
  json::value resumed = boxes_.Asked().at(1);
  EXPECT_EQ(resumed.at("stdout_offset").as_int64(), 5);
  EXPECT_EQ(resumed.at("stderr_offset").as_int64(), 0);
}

TEST_F(ExecutionTest, OutputThatCannotBeKeptIsNotAcknowledged) {
  execution_.save = [](const Execution&) -> Task<Status> {
    co_return Fail(ErrorCode::kUnavailable, "the disk is full");
  };
  boxes_.answers = {EventStreamResponse(Event("ack_required", {})), EventStreamResponse("")};
  ExecutionResult end = FollowIt();
  EXPECT_EQ(end.kind, ExecutionResult::Kind::kLost);
  EXPECT_EQ(end.message, "keep the output: the disk is full");
  EXPECT_EQ(boxes_.answers.size(), 1U);
}

TEST_F(ExecutionTest, ABrokenStreamIsTakenUpWhereItWas) {
  boxes_.answers = {
      EventStreamResponse(OutputEvent("stdout", 0, "12345")), ErrorResponse(503, "busy"),
      EventStreamResponse(OutputEvent("stdout", 3, "4567") + Event("exit", {{"exit_code", 0}}))};
  EXPECT_EQ(FollowIt().kind, ExecutionResult::Kind::kExited);
  EXPECT_EQ(execution_.output.Text(), "1234567") << "what came twice is there once";
  EXPECT_EQ(boxes_.Asked().at(2).at("stdout_offset").as_int64(), 5);
}

TEST_F(ExecutionTest, ACommandOfAnEarlierServerIsNotBegunAgain) {
  execution_.may_have_started = true;
  execution_.output.Add(0, "before ");
  boxes_.answers = {
      EventStreamResponse(OutputEvent("stdout", 7, "after") + Event("exit", {{"exit_code", 0}}))};
  EXPECT_EQ(FollowIt().kind, ExecutionResult::Kind::kExited);
  EXPECT_EQ(execution_.output.Text(), "before after");
  EXPECT_FALSE(boxes_.Asked().at(0).as_object().contains("command"));
}

TEST_F(ExecutionTest, OneThatNeverArrivedIsBegunAfterAll) {
  execution_.may_have_started = true;
  boxes_.answers = {ErrorResponse(404, "no such command"),
                    EventStreamResponse(Event("exit", {{"exit_code", 0}}))};
  EXPECT_EQ(FollowIt().kind, ExecutionResult::Kind::kExited);
  EXPECT_EQ(FindString(boxes_.Asked().at(1), "command"), "make");
}

TEST_F(ExecutionTest, OneThatTheBoxHasForgottenIsLostNotRepeated) {
  execution_.may_have_started = true;
  boxes_.Edit(execution_.box_id, [](boxes::Box& box) { box.started_at_us += 1; });
  boxes_.answers = {ErrorResponse(404, "no such command"), EventStreamResponse("")};
  ExecutionResult end = FollowIt();
  EXPECT_EQ(end.kind, ExecutionResult::Kind::kLost);
  EXPECT_EQ(end.message, "the sandbox no longer knows the command");
  EXPECT_EQ(boxes_.answers.size(), 1U);
}

TEST_F(ExecutionTest, AReaderThatFellBehindGoesOnWithWhatIsLeft) {
  boxes_.answers = {
      EventStreamResponse(
          OutputEvent("stdout", 0, "abc") +
          Event("error", {{"error_type", "InvalidOffset"}, {"error", "too far behind"}})),
      EventStreamResponse(OutputEvent("stdout", 9, "xyz") + Event("exit", {{"exit_code", 0}}))};
  EXPECT_EQ(FollowIt().kind, ExecutionResult::Kind::kExited);
  EXPECT_EQ(execution_.output.end, 12);
  EXPECT_EQ(boxes_.Asked().at(1).at("stdout_offset").as_int64(), 3);
}

TEST_F(ExecutionTest, ARefusalIsTold) {
  boxes_.answers = {ErrorResponse(400, "cwd: no such folder")};
  ExecutionResult end = FollowIt();
  EXPECT_EQ(end.kind, ExecutionResult::Kind::kRefused);
  EXPECT_EQ(end.message, "cwd: no such folder");
}

TEST_F(ExecutionTest, AnErrorEventEndsIt) {
  boxes_.answers = {EventStreamResponse(
      Event("error", {{"error_type", "CommandTimeout"}, {"error", "it took too long"}}))};
  ExecutionResult end = FollowIt();
  EXPECT_EQ(end.kind, ExecutionResult::Kind::kLost);
  EXPECT_EQ(end.message, "it took too long");
}

TEST_F(ExecutionTest, BrokenEventsEndItInsteadOfLooping) {
  for (const std::string& events : {std::string("event: stdout\ndata: {no json\n\n"),
                                    Event("stdout", {{"offset", 0}, {"data", "***"}})}) {
    boxes_.answers = {EventStreamResponse(events)};
    EXPECT_EQ(FollowIt().kind, ExecutionResult::Kind::kLost) << events;
  }
}

TEST_F(ExecutionTest, ABoxThatStoppedFailedOrWentHasLostIt) {
  boxes_.Edit(execution_.box_id, [](boxes::Box& box) { box.state = boxes::BoxState::kStopped; });
  EXPECT_EQ(FollowIt().message, "the sandbox stopped before the command ended");
  boxes_.Edit(execution_.box_id, [](boxes::Box& box) {
    box.state = boxes::BoxState::kFailed;
    box.message = "out of memory";
  });
  EXPECT_EQ(FollowIt().message, "the sandbox failed before the command ended: out of memory");
  boxes_.boxes.clear();
  EXPECT_EQ(FollowIt().message, "the sandbox was removed before the command ended");
}

TEST_F(ExecutionTest, APausedBoxIsWaitedFor) {
  boxes_.Edit(execution_.box_id, [](boxes::Box& box) { box.state = boxes::BoxState::kPaused; });
  int calls = 0;
  boxes_.on_dial = [&] {
    if (++calls == 2) boxes_.answers = {EventStreamResponse(Event("exit", {{"exit_code", 0}}))};
  };
  EXPECT_EQ(FollowIt().kind, ExecutionResult::Kind::kExited);
  EXPECT_EQ(calls, 2);
}

TEST(OutputTailTest, KeepsTheEndAndSaysWhatIsMissing) {
  OutputTail tail;
  const std::string piece(100'000, 'x');
  std::int64_t at = 0;
  for (int i = 0; i < 40; ++i, at += piece.size()) tail.Add(at, piece);
  tail.Add(at, "the end");
  EXPECT_EQ(tail.end, at + 7);
  EXPECT_LE(tail.bytes.size(), 2U << 20);
  std::string text = tail.Text();
  EXPECT_TRUE(text.starts_with("[the first 2951431 bytes were not kept]\n")) << text.substr(0, 60);
  EXPECT_TRUE(text.ends_with("the end"));
}

TEST(OutputTailTest, LeavesOutWhatIsKnownAndGoesOnBehindAGap) {
  OutputTail tail;
  tail.Add(0, "abc");
  tail.Add(0, "abc");
  tail.Add(1, "b");
  EXPECT_EQ(tail.Text(), "abc");
  tail.Add(10, "xyz");
  EXPECT_EQ(tail.end, 13);
  EXPECT_EQ(tail.Text(), "[the first 7 bytes were not kept]\nabcxyz");
}

TEST(OutputTailTest, BytesThatAreNoTextBecomeText) {
  OutputTail tail;
  tail.Add(0, "a\xff z");
  EXPECT_EQ(tail.Text(), "a? z");
}

TEST(ShellQuotedTest, IsOneWordWhateverIsInIt) {
  EXPECT_EQ(ShellQuoted("plain"), "'plain'");
  EXPECT_EQ(ShellQuoted(""), "''");
  EXPECT_EQ(ShellQuoted("it's; rm -rf $HOME"), "'it'\\''s; rm -rf $HOME'");
}

}  // namespace
}  // namespace viv::recoup
