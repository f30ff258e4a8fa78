#include "agent/process/exit_status.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>

#include "agent/errno_text.h"

namespace viv::agent {
namespace {

TEST(ExitStatusTest, TellsExitsFromSignals) {
  EXPECT_EQ(WriteJson(EndEvent(0)), R"({"exitCode":0,"exited":true,"status":"exit status 0"})");
  EXPECT_EQ(EndEvent(255 << 8).at("exitCode"), 255);
  EXPECT_EQ(EndEvent(SIGTERM).at("exitCode"), -1);
  EXPECT_EQ(EndEvent(SIGTERM).at("error"), "signal: terminated");
  EXPECT_EQ(EndEvent(SIGABRT | 0x80).at("status"), "signal: aborted (core dumped)");
  EXPECT_EQ(EndEvent(40).at("status"), "signal: signal 40");
}

TEST(ExitStatusTest, WritesErrorsAsGoDoes) {
  EXPECT_EQ(ErrnoText(ENOENT), "no such file or directory");
  EXPECT_EQ(ErrnoText(ENOEXEC), "exec format error");
}

}  // namespace
}  // namespace viv::agent
