#include "runtime/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/launcher.h"

namespace viv::runtime {
namespace {

TEST(ProcessTest, ReadsField22) {
  auto time = ParseStartTime(
      "17 (bash) S 1 17 17 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 302051 2076672 231 1844 1 1 0");
  ASSERT_TRUE(time);
  EXPECT_EQ(*time, 302051U);
}

TEST(ProcessTest, IsNotFooledByAProgramsName) {
  auto time = ParseStartTime(
      "17 (a) S 9 9 ) x) S 1 17 17 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 42 2076672 231");
  ASSERT_TRUE(time);
  EXPECT_EQ(*time, 42U);
}

TEST(ProcessTest, RefusesWhatIsNoStatLine) {
  for (const char* bad : {"", "17 bash S 1", "17 (bash) S 1 2 3",
                          "17 (bash) S 1 17 17 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 x 1"})
    EXPECT_FALSE(ParseStartTime(bad)) << bad;
}

TEST(ProcessTest, OpensTheProcessThatStartedThen) {
  auto time = ReadStartTime(::getpid());
  ASSERT_TRUE(time);
  EXPECT_TRUE(OpenProcess(::getpid(), *time));
}

TEST(ProcessTest, AnotherProcessOfThatNumberIsNotFound) {
  auto time = ReadStartTime(::getpid());
  ASSERT_TRUE(time);
  auto opened = OpenProcess(::getpid(), *time + 1);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kNotFound);
}

TEST(ProcessTest, ADeadOneIsNotFound) {
  pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  for (pid_t pid : {child, 0, -1}) {
    auto opened = OpenProcess(pid, 1);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::kNotFound);
  }
}

TEST(ProcessTest, OneThatEndedAndWasNotReapedIsNotFound) {
  pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info;
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  auto time = ReadStartTime(child);
  ASSERT_TRUE(time);
  auto opened = OpenProcess(child, *time);
  ::waitpid(child, nullptr, 0);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kNotFound);
}

TEST(ProcessTest, ReadsWhoseItIs) {
  EXPECT_EQ(*ParseUser("Name:\tx\nUid:\t0\t1048576\t0\t0\nGid:\t0\t0\t0\t0\n"), 1048576U);
  for (const char* bad : {"", "Uid:", "Uid:\t0", "Uid:\t0\tx\t0\t0\n", "uid:\t0\t0\n"})
    EXPECT_FALSE(ParseUser(bad)) << bad;
  EXPECT_EQ(*ReadUser(::getpid()), ::geteuid());
  EXPECT_FALSE(ReadUser(0));
}

TEST(ProcessTest, ReadsWhatItWrote) {
  EXPECT_EQ(*ParseBytesWritten("rchar: 1\nread_bytes: 0\nwrite_bytes: 4096\n"), 4096U);
  for (const char* bad : {"", "write_bytes:\n", "write_bytes: -1\n", "write_bytes: 1x\n"})
    EXPECT_FALSE(ParseBytesWritten(bad)) << bad;
}

}  // namespace
}  // namespace viv::runtime
