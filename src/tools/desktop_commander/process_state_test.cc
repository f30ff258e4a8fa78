#include "tools/desktop_commander/process_state.h"

#include <gtest/gtest.h>

#include "tools/desktop_commander/output_tail.h"

namespace viv::tools::commander {
namespace {

TEST(ProcessStateTest, SeesPrompts) {
  EXPECT_EQ(DetectState("Python 3.11\n>>> ").prompt, ">>>");
  EXPECT_TRUE(DetectState("user@box:~$ ").waiting);
  EXPECT_FALSE(DetectState(">>> \n").waiting);
  EXPECT_FALSE(DetectState("").waiting);
  EXPECT_FALSE(DetectState("building\n").waiting);
}

TEST(ProcessStateTest, SeesTheEndInWhatIsSaid) {
  EXPECT_TRUE(DetectState("a\nTraceback (most recent call last)\nx\n").finished);
  EXPECT_TRUE(DetectState("Process finished with exit code 0\n").finished);
  EXPECT_FALSE(DetectState("Error: long ago\n1\n2\n3\n").finished);
  EXPECT_FALSE(DetectState("all is well\n").finished);
}

TEST(ProcessStateTest, RemovesPromptsAndEcho) {
  EXPECT_EQ(WithoutPrompts("4\n>>> ", "2+2\n"), "4");
  EXPECT_EQ(WithoutPrompts("2+2\n4\n> ", "2+2\n"), "4");
  EXPECT_EQ(WithoutPrompts(">>> ", "x = 1"), "");
  EXPECT_EQ(WithoutPrompts("a(b\nc", "a(b"), "c");
}

TEST(ProcessStateTest, DescribesItself) {
  EXPECT_EQ(DescribeState(DetectState("> "), 7),
            "Process 7 is waiting for input (detected: \">\")");
}

TEST(OutputTailTest, KeepsTheEndOfAFlood) {
  OutputTail tail;
  for (int i = 0; i < 100; ++i) tail.Add(std::string(20'000, static_cast<char>('a' + i % 26)));
  tail.Add("the end");
  const std::string text = tail.Take();
  EXPECT_TRUE(text.ends_with("the end"));
  EXPECT_LE(text.size(), OutputTail::kBytesMax + 100);
  EXPECT_EQ(text.front(), '[');
  EXPECT_TRUE(tail.empty());
  EXPECT_EQ(tail.Take(), "");
}

}  // namespace
}  // namespace viv::tools::commander
