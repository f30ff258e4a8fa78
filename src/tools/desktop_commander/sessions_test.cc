#include "tools/desktop_commander/sessions.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace viv::tools::commander {
namespace {

using namespace std::chrono_literals;

// Waits for as long as it takes: a test that hangs is stopped from outside.
void UntilItEnds(const Sessions& sessions, pid_t pid) {
  for (std::uint64_t seen = 0; sessions.IsRunning(pid);)
    seen = sessions.WaitForActivity(pid, seen, std::chrono::steady_clock::now() + 1h);
}

TEST(SessionsTest, KeepsOutputAndExitCode) {
  Sessions sessions;
  const pid_t pid = sessions.Start({"/bin/sh", "echo out; echo err >&2; exit 3", "/"}).value();
  UntilItEnds(sessions, pid);
  const SessionResult end = sessions.ResultOf(pid).value();
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_NE(end.output.find("out\n"), std::string::npos);
  EXPECT_NE(end.output.find("err\n"), std::string::npos);
  EXPECT_TRUE(sessions.List().empty());
}

TEST(SessionsTest, TalksToAProcess) {
  Sessions sessions;
  const pid_t pid =
      sessions.Start({"/bin/sh", "read line; echo \"got $line\"; read x", "/"}).value();
  ASSERT_TRUE(sessions.Send(pid, "hello\n"));
  std::string said;
  for (std::uint64_t seen = 0; said.find('\n') == std::string::npos;) {
    seen = sessions.WaitForActivity(pid, seen, std::chrono::steady_clock::now() + 1h);
    said += sessions.TakeUnread(pid);
  }
  EXPECT_EQ(said, "got hello\n");
  EXPECT_EQ(sessions.Output(pid), said);
  ASSERT_EQ(sessions.List().size(), 1u);
  EXPECT_TRUE(sessions.Terminate(pid));
  UntilItEnds(sessions, pid);
  EXPECT_FALSE(sessions.Terminate(pid));
  EXPECT_FALSE(sessions.Send(pid, "x"));
}

TEST(SessionsTest, KillsWhatDoesNotWantToEnd) {
  Sessions sessions;
  const pid_t pid =
      sessions.Start({"/bin/sh", "trap '' INT TERM; echo ready; while :; do sleep 1; done", "/"})
          .value();
  sessions.WaitForActivity(pid, 0, std::chrono::steady_clock::now() + 1h);
  ASSERT_TRUE(sessions.Terminate(pid));
  UntilItEnds(sessions, pid);
  EXPECT_EQ(sessions.ResultOf(pid).value().exit_code, std::nullopt);
}

TEST(SessionsTest, AFloodIsCutAndDoesNotBlock) {
  Sessions sessions;
  const pid_t pid =
      sessions.Start({"/bin/sh", "head -c 20000000 /dev/zero | tr '\\0' x", "/"}).value();
  UntilItEnds(sessions, pid);
  const SessionResult end = sessions.ResultOf(pid).value();
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_LT(end.output.size(), OutputTail::kBytesMax + 100);
}

TEST(SessionsTest, InputThatNobodyReadsHasALimit) {
  Sessions sessions;
  const pid_t pid = sessions.Start({"/bin/sh", "exec sleep 1000", "/"}).value();
  const std::string much(400'000, 'x');
  bool refused = false;
  for (int i = 0; i < 10 && !refused; ++i) refused = !sessions.Send(pid, much);
  EXPECT_TRUE(refused);
}

TEST(SessionsTest, AChildThatHoldsTheOutputOpenDoesNotHoldUpTheEnd) {
  Sessions sessions;
  const pid_t pid = sessions.Start({"/bin/sh", "sleep 1000 & echo started", "/"}).value();
  UntilItEnds(sessions, pid);
  EXPECT_EQ(sessions.ResultOf(pid).value().output, "started\n");
}

TEST(SessionsTest, ProcessesEndWithTheirOwner) {
  pid_t pid;
  {
    Sessions sessions;
    pid = sessions.Start({"/bin/sh", "exec sleep 1000", "/"}).value();
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(SessionsTest, RefusesShellsAndFoldersThatAreNotThere) {
  Sessions sessions;
  EXPECT_FALSE(sessions.Start({"/no/such/shell", "x", "/"}));
  EXPECT_FALSE(sessions.Start({"/bin/sh", "x", "/no/such/folder"}));
  EXPECT_FALSE(sessions.IsRunning(1));
  EXPECT_FALSE(sessions.ResultOf(1));
  EXPECT_EQ(sessions.Output(1), "");
}

TEST(SessionsTest, OnlySoManyRunAtOnce) {
  Sessions sessions;
  int started = 0;
  while (started < 100 && sessions.Start({"/bin/sh", "exec sleep 1000", "/"})) ++started;
  EXPECT_EQ(started, 64);
}

}  // namespace
}  // namespace viv::tools::commander
