#include "tools/terminal/authorize.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace viv::tools::terminal {
namespace {

class AuthorizeTest : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/viv-gate-XXXXXX";
    folder_ = ::mkdtemp(folder);
    std::ofstream(folder_ + "/a.txt") << "a";
    std::ofstream(folder_ + "2") << "beside";
    std::filesystem::create_directory(folder_ + "/sub");
    std::filesystem::create_symlink("/etc", folder_ + "/out");
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::remove(folder_ + "2");
  }

  // The words to run, or the reason of the refusal.
  std::string Judge(const char* profile, const std::string& command) {
    auto words = Authorize(PolicyFor(profile), folder_, command);
    if (!words) return words.error().message;
    std::string text;
    for (const std::string& word : *words) text += "[" + word + "]";
    return text;
  }
  std::string Outside(const std::string& path) {
    return "Path '" + path + "' is outside of allowed directory: " + folder_;
  }

  std::string folder_;
};

TEST_F(AuthorizeTest, LetsTheListedCommandsPass) {
  EXPECT_EQ(Judge("MCP_Atlas", "ls -la"), "[ls][-la]");
  EXPECT_EQ(Judge("MCP_Atlas", "cat ./a.txt"), "[cat][" + folder_ + "/a.txt]");
  EXPECT_EQ(Judge("MCP_Atlas", "find . -name '*.txt'"), "[find][" + folder_ + "][-name][*.txt]");
  EXPECT_EQ(Judge("MCP_Atlas", "cat a.txt"), "[cat][a.txt]");
  EXPECT_EQ(Judge("", "curl https://example.org/../x"), "[curl][https://example.org/../x]");
}

TEST_F(AuthorizeTest, RefusesOtherCommands) {
  EXPECT_EQ(Judge("MCP_Atlas", "rm a.txt"), "Command 'rm' is not allowed");
  EXPECT_EQ(Judge("MCP_Atlas", "/bin/ls"), "Command '/bin/ls' is not allowed");
  EXPECT_EQ(Judge("Toolathlon", "bash -c ls"), "Command 'bash' is not allowed");
  EXPECT_EQ(Judge("MCP_Atlas", ""), "Empty command");
  EXPECT_EQ(Judge("MCP_Atlas", "cat 'a"), "Invalid command format: No closing quotation");
}

TEST_F(AuthorizeTest, RefusesPathsThatLeaveTheFolder) {
  for (const char* path :
       {"/etc/passwd", "../x", "..", "./../../etc", "out", "out/passwd", "sub/../../viv-nowhere/"})
    EXPECT_EQ(Judge("MCP_Atlas", std::string("cat ") + path),
              std::string_view(path).starts_with("sub") ? "[cat][sub/../../viv-nowhere/]"
                                                        : Outside(path));
  EXPECT_EQ(Judge("MCP_Atlas", "cat " + folder_ + "2"), Outside(folder_ + "2"));
}

TEST_F(AuthorizeTest, RefusesOperatorsByPolicy) {
  EXPECT_EQ(Judge("MCP_Atlas", "ls; ls"),
            "Shell operator ';' is not supported. Set ALLOW_SHELL_OPERATORS=true to enable.");
  EXPECT_EQ(Judge("Toolathlon", "ls | wc -l"), "[/bin/sh][-c][ls | wc -l]");
}

TEST_F(AuthorizeTest, HoldsEveryPartToThePolicy) {
  EXPECT_EQ(Judge("", "ls && bash"), "Invalid command part 'bash': Command 'bash' is not allowed");
  EXPECT_EQ(Judge("", "cat /etc/passwd | wc"),
            "Invalid command part 'cat /etc/passwd': " + Outside("/etc/passwd"));
  EXPECT_EQ(Judge("", "echo x > /etc/x"), "Invalid file path '/etc/x': " + Outside("/etc/x"));
  EXPECT_EQ(Judge("", "echo x > bash"), "[/bin/sh][-c][echo x > bash]");
  EXPECT_EQ(Judge("", "python -c \"a; b\""),
            "Invalid command part 'python -c \"a': Invalid command format: No closing quotation");
}

TEST_F(AuthorizeTest, CountsCharactersNotBytes) {
  std::string wide = "cat ";
  for (int i = 0; i < 1020; ++i) wide += "\xC3\xA9";
  EXPECT_TRUE(Judge("MCP_Atlas", wide).starts_with("[cat]"));
  EXPECT_EQ(Judge("MCP_Atlas", wide + "x"), "Command exceeds maximum length of 1024");
  EXPECT_EQ(Judge("", std::string(2049, 'x')), "Command exceeds maximum length of 2048");
}

TEST(PolicyTest, ListsFiftyNineCommandsInOrder) {
  const Policy& policy = PolicyFor("Toolathlon");
  EXPECT_EQ(policy.commands.size(), 59U);
  EXPECT_TRUE(std::is_sorted(policy.commands.begin(), policy.commands.end()));
  EXPECT_EQ(&PolicyFor(""), &policy);
}

}  // namespace
}  // namespace viv::tools::terminal
