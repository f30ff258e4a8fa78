#include "templates/debian.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/unique_fd.h"
#include "templates/program.h"

namespace viv::templates {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DebianCommandTest, NamesSuitePackagesAndMirror) {
  const auto command = DebianCommand(
      "/x/root", {.suite = "trixie", .mirror = "http://mirror/debian", .packages = {"ffmpeg"}});
  ASSERT_TRUE(command);
  EXPECT_EQ(command->front(), "mmdebstrap");
  EXPECT_EQ(command->back(), "http://mirror/debian");
  EXPECT_THAT(*command, Contains("trixie"));
  EXPECT_THAT(*command, Contains(HasSubstr(",ffmpeg")));
  EXPECT_THAT(*command, Contains(HasSubstr("python3")));
}

TEST(DebianCommandTest, RefusesWhatCouldBeAnOption) {
  EXPECT_FALSE(DebianCommand("/x", {.suite = "--setup-hook=evil"}));
  EXPECT_FALSE(DebianCommand("/x", {.suite = ""}));
  EXPECT_FALSE(DebianCommand("/x", {.suite = "bookworm", .mirror = "--setup-hook=evil"}));
  EXPECT_FALSE(DebianCommand("/x", {.suite = "bookworm", .mirror = "copy:///etc"}));
  EXPECT_FALSE(DebianCommand("/x", {.suite = "bookworm", .mirror = "http://a b"}));
  for (const char* package : {"-x", "", "a,b", "?installed", "~i", "a b", "../x"})
    EXPECT_FALSE(DebianCommand("/x", {.suite = "bookworm", .packages = {package}})) << package;
}

TEST(RunProgramTest, GivesEachLineAndTheLastWordsOfAFailure) {
  std::vector<std::string> lines;
  const Progress keep = [&](const std::string& line) { lines.push_back(line); };
  ASSERT_TRUE(RunProgram({"sh", "-c", "echo one; echo two >&2; printf three"}, keep,
                         std::chrono::seconds(60)));
  EXPECT_THAT(lines, ElementsAre("one", "two", "three"));
  const Status failed = RunProgram({"sh", "-c", "echo why; exit 3"}, {}, std::chrono::seconds(60));
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("why"));
}

TEST(RunProgramTest, SaysWhatToInstall) {
  const Status missing = RunProgram({"no-such-program"}, {}, std::chrono::seconds(60));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(missing.error().message, HasSubstr("apt-get install"));
}

TEST(RunProgramTest, EndsWhatTakesTooLong) {
  const Status late =
      RunProgram({"sh", "-c", "sleep 1000 & sleep 1000"}, {}, std::chrono::seconds(0));
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().message, HasSubstr("too long"));
}

TEST(RunProgramTest, EndsWhatTheCheckRefuses) {
  const Status refused =
      RunProgram({"sh", "-c", "sleep 1000 & sleep 1000"}, {}, std::chrono::seconds(600),
                 [] { return Fail(ErrorCode::kLimitExceeded, "enough"); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLimitExceeded);
  EXPECT_THAT(refused.error().message, HasSubstr("enough"));
}

TEST(RunProgramTest, NothingIsInherited) {
  const UniqueFd open_file(open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  std::string said;
  auto keep = [&said](const std::string& line) { said += line + " "; };
  ASSERT_TRUE(RunProgram({"sh", "-c", "ls /proc/self/fd | wc -l"}, keep, std::chrono::seconds(60)));
  EXPECT_EQ(said, "4 ");  // its own three, and the folder that ls reads
}

}  // namespace
}  // namespace viv::templates
