#include "tools/desktop_commander/blocked_commands.h"

#include <gmock/gmock.h>

namespace viv::tools::commander {
namespace {

using ::testing::ElementsAre;

TEST(BlockedCommandsTest, FindsEveryCommandOfALine) {
  EXPECT_THAT(CommandsIn("ls -l | grep x && echo done; date &"),
              ElementsAre("ls", "grep", "echo", "date"));
  EXPECT_THAT(CommandsIn("(cd a; make) || true"), ElementsAre("cd", "make", "true"));
  EXPECT_THAT(CommandsIn("A=1 B=2 env"), ElementsAre("env"));
  EXPECT_THAT(CommandsIn("echo 'a; sudo b' \"| su\""), ElementsAre("echo"));
  EXPECT_THAT(CommandsIn("one\ntwo"), ElementsAre("one", "two"));
  EXPECT_THAT(CommandsIn("   "), ElementsAre());
}

TEST(BlockedCommandsTest, SeesThroughPathsCaseAndQuotes) {
  const std::vector<std::string> blocked = {"sudo", "dd"};
  for (const char* line : {"sudo ls", "/usr/bin/sudo ls", "SUDO ls", "ls; dd if=a of=b",
                           "echo $(sudo id)", "'sudo' id", "su\\do id", "X=1 sudo id"})
    EXPECT_TRUE(IsBlocked(line, blocked)) << line;
  for (const char* line : {"echo sudo", "sudoku", "add", "ls 'sudo'"})
    EXPECT_FALSE(IsBlocked(line, blocked)) << line;
}

TEST(BlockedCommandsTest, ReadsBrokenLinesToTheirEnd) {
  for (const char* line : {"(((((((((((((((((((((((sudo", "echo 'x", "a \\", "\"", "$(", ")"})
    EXPECT_FALSE(IsBlocked(line, {"nothing"})) << line;
}

}  // namespace
}  // namespace viv::tools::commander
