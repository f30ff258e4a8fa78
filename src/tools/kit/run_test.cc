#include "tools/kit/run.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

namespace viv::tools {
namespace {

RunRequest Shell(std::string script) {
  RunRequest request;
  request.arguments = {"sh", "-c", std::move(script)};
  return request;
}

TEST(RunTest, GivesBothStreamsAndTheExitCode) {
  auto end = tools::Run(Shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->output, "out\n");
  EXPECT_EQ(end->error, "err\n");
  EXPECT_EQ(end->exit_code, 3);
}

TEST(RunTest, FeedsInputAndClosesIt) {
  RunRequest request = Shell("cat");
  request.input = std::string(1 << 20, 'x');
  auto end = tools::Run(request);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->output.size(), 1U << 20);
}

TEST(RunTest, AProgramThatIgnoresItsInputIsNoTrouble) {
  RunRequest request = Shell("exec 0<&-; echo done");
  request.input = std::string(1 << 20, 'x');
  auto end = tools::Run(request);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->output, "done\n");
}

TEST(RunTest, CutsAFlood) {
  RunRequest request = Shell("head -c 50000000 /dev/zero; echo end >&2");
  request.output_max = 1000;
  auto end = tools::Run(request);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->output.size(), 1000U);
  EXPECT_TRUE(end->output_cut);
  EXPECT_EQ(end->error, "end\n");
}

TEST(RunTest, KillsTheWholeGroupAtItsTimeLimit) {
  RunRequest request = Shell("sleep 1000 & echo $!; wait");
  request.time_max = std::chrono::milliseconds(200);
  auto end = tools::Run(request);
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->timed_out);
  const pid_t child = std::stoi(end->output);
  while (::kill(child, 0) == 0 && ::access(("/proc/" + std::to_string(child)).c_str(), F_OK) == 0) {
    std::ifstream status("/proc/" + std::to_string(child) + "/stat");
    std::string text((std::istreambuf_iterator<char>(status)), std::istreambuf_iterator<char>());
    if (text.find(") Z") != std::string::npos) break;
  }
}

TEST(RunTest, EndsWhenTheCallerGivesUp) {
  std::atomic<bool> cancelled = true;
  RunRequest request = Shell("sleep 1000");
  request.cancelled = &cancelled;
  auto end = tools::Run(request);
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->cancelled);
  EXPECT_EQ(end->exit_code, 128 + SIGKILL);
}

TEST(RunTest, DoesNotWaitForAChildThatHoldsTheOutputOpen) {
  auto end = tools::Run(Shell("sleep 1000 & echo said"));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->output, "said\n");
  EXPECT_FALSE(end->timed_out);
}

TEST(RunTest, SetsFolderAndVariables) {
  RunRequest request = Shell("pwd; echo $WHO");
  request.folder = "/usr";
  request.variables["WHO"] = "me";
  auto end = tools::Run(request);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->output, "/usr\nme\n");
}

TEST(RunTest, SaysWhatIsMissing) {
  RunRequest nothing;
  nothing.arguments = {"no-such-program-here"};
  auto end = tools::Run(nothing);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, ErrorCode::kNotFound);
  RunRequest nowhere = Shell("true");
  nowhere.folder = "/no/such/folder";
  end = tools::Run(nowhere);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message, "/no/such/folder: No such file or directory");
}

TEST(RunTest, ASignalIsAnExitCode) {
  auto end = tools::Run(Shell("kill -TERM $$"));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 128 + SIGTERM);
}

}  // namespace
}  // namespace viv::tools
