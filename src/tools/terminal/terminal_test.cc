#include "tools/terminal/terminal.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "tools/terminal/command.h"

namespace viv::tools {
namespace {

class TerminalTest : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/viv-terminal-XXXXXX";
    workspace_ = ::mkdtemp(folder);
    std::ofstream(workspace_ + "/a.txt") << "hello\n";
  }
  void TearDown() override { std::filesystem::remove_all(workspace_); }

  ToolResult Call(const char* profile, const std::string& command) {
    auto server = MakeTerminal(tools::ToolServerOptions{workspace_, profile});
    auto result = server->Call("run_command", {{"command", command}}, CallContext{cancelled_, {}});
    EXPECT_TRUE(result && !result->is_error);
    return result ? *result : ToolResult{};
  }
  static std::string Shown(const ToolResult& result) {
    std::string text;
    for (const json::value& block : result.content) {
      if (!text.empty()) text += "|";
      text += std::string(FindString(block, "text"));
      if (Find(block, "error") != nullptr) text += "<error>";
    }
    return text;
  }

  std::string workspace_;
  std::atomic<bool> cancelled_ = false;
};

TEST_F(TerminalTest, EveryToolHasAHandler) {
  EXPECT_TRUE(MakeTerminal(tools::ToolServerOptions{})->Unbound().empty());
}

TEST_F(TerminalTest, AnswersWithOutputErrorsAndCode) {
  EXPECT_EQ(Shown(Call("MCP_Atlas", "cat a.txt")),
            "hello\n|\nCommand completed with return code: 0");
  EXPECT_EQ(Shown(Call("MCP_Atlas", "cat a.txt nope")),
            "hello\n|cat: nope: No such file or directory\n<error>|\nCommand completed with return "
            "code: 1");
  EXPECT_EQ(Shown(Call("", "cd / && pwd | wc -l")),
            "Security violation: Invalid command part 'cd /': Path '/' is outside of allowed "
            "directory: " +
                workspace_ + "<error>");
  EXPECT_EQ(Shown(Call("", "echo hi > b.txt && cat b.txt")),
            "hi\n|\nCommand completed with return code: 0");
}

TEST_F(TerminalTest, RefusalsAreNoErrorsOfTheCall) {
  EXPECT_EQ(Shown(Call("MCP_Atlas", "rm a.txt")),
            "Security violation: Command 'rm' is not allowed<error>");
  EXPECT_EQ(Shown(Call("MCP_Atlas", std::string("cat a\0b", 7))),
            "Error: Command execution failed: embedded null byte<error>");
  EXPECT_EQ(Shown(Call("", "history")),
            "Error: Command execution failed: [Errno 2] No such file or directory: "
            "'history'<error>");
}

TEST_F(TerminalTest, CutsLongOutput) {
  const std::string text = Shown(Call("", "head -c 100000 /dev/zero | tr '\\0' x"));
  EXPECT_TRUE(text.starts_with("Security violation")) << text;
  std::ofstream(workspace_ + "/big") << std::string(100'000, 'x');
  EXPECT_EQ(Shown(Call("", "cat big")), std::string(8192, 'x') +
                                            "...[output truncated]|\nCommand completed with "
                                            "return code: 0");
  EXPECT_EQ(Shown(Call("MCP_Atlas", "cat big")),
            std::string(100'000, 'x') + "|\nCommand completed with return code: 0");
}

TEST_F(TerminalTest, SaysThatOutputIsBinary) {
  std::ofstream(workspace_ + "/bin") << "\xff\xfe";
  EXPECT_EQ(Shown(Call("", "cat bin")),
            "Error: Command execution failed: 'utf-8' codec can't decode byte 0xff in position 0: "
            "invalid start byte<error>");
}

TEST_F(TerminalTest, StopsWhatDoesNotEnd) {
  terminal::Policy policy = terminal::PolicyFor("");
  policy.time_max = std::chrono::seconds(1);
  const ToolResult result =
      terminal::RunCommand(policy, workspace_, "tail -f a.txt", CallContext{cancelled_, {}});
  EXPECT_EQ(Shown(result), "Error: Command timed out after 1 seconds<error>");
}

TEST_F(TerminalTest, StopsWhenTheCallerGivesUp) {
  cancelled_ = true;
  EXPECT_EQ(Shown(Call("", "tail -f a.txt")), "Error: Command was cancelled and stopped<error>");
}

TEST_F(TerminalTest, TheDescriptionTellsThePolicy) {
  const auto described = [&](const char* profile) {
    auto server = MakeTerminal(tools::ToolServerOptions{workspace_, profile});
    return std::string(FindString(server->definitions().at(0), "description"));
  };
  EXPECT_NE(described("MCP_Atlas").find("Commands: cat, find, ls\n"), std::string::npos);
  EXPECT_NE(described("Toolathlon").find("kubectl"), std::string::npos);
}

}  // namespace
}  // namespace viv::tools
