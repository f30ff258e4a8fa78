#include "tools/code_runner/code_runner.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <thread>

#include "tools/code_runner/languages.h"

namespace viv::tools {
namespace {

class CodeRunnerTest : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/viv-code-runner-XXXXXX";
    workspace_ = ::mkdtemp(folder);
    server_ = MakeCodeRunner(tools::ToolServerOptions{workspace_, ""});
  }
  void TearDown() override { std::filesystem::remove_all(workspace_); }

  ToolResult RunIn(std::string_view language, std::string_view code) {
    json::object arguments{{"languageId", language}, {"code", code}};
    auto result = server_->Call("run-code", std::move(arguments), CallContext{cancelled_, {}});
    return result ? *result : ToolResult{};
  }
  static std::string TextOf(const ToolResult& result) {
    return std::string(FindString(result.content.at(0), "text"));
  }

  std::string workspace_;
  std::atomic<bool> cancelled_ = false;
  std::unique_ptr<ToolServer> server_;
};

TEST_F(CodeRunnerTest, EveryToolHasAHandler) {
  EXPECT_TRUE(server_->Unbound().empty());
}

TEST_F(CodeRunnerTest, KnowsEveryLanguageOfTheSchema) {
  const json::object& schema =
      server_->definitions().at(0).get_object().at("inputSchema").get_object();
  const json::array& ids =
      schema.at("properties").at("languageId").get_object().at("enum").get_array();
  EXPECT_EQ(ids.size(), 37U);
  for (const json::value& id : ids)
    EXPECT_NE(code_runner::FindLanguage(View(id.get_string())), nullptr) << WriteJson(id);
  EXPECT_EQ(code_runner::Languages().size(), ids.size());
}

TEST_F(CodeRunnerTest, RunsInTheWorkspace) {
  const ToolResult result = RunIn("shellscript", "echo hi > made.txt; pwd");
  EXPECT_FALSE(result.is_error);
  EXPECT_EQ(TextOf(result), workspace_ + "\n");
  EXPECT_TRUE(std::filesystem::exists(workspace_ + "/made.txt"));
}

TEST_F(CodeRunnerTest, FailuresAreErrors) {
  const ToolResult exit = RunIn("shellscript", "echo no >&2; exit 3");
  EXPECT_TRUE(exit.is_error);
  EXPECT_TRUE(TextOf(exit).starts_with("Error: Command failed: bash \"/"));
  EXPECT_TRUE(TextOf(exit).ends_with("/tmp.shellscript\"\nno\n")) << TextOf(exit);
  const ToolResult warned = RunIn("shellscript", "echo out; echo warn >&2");
  EXPECT_TRUE(warned.is_error);
  EXPECT_EQ(TextOf(warned), "Stderr: warn\n");
  EXPECT_EQ(TextOf(RunIn("shellscript", "")), "Code is required.");
}

TEST_F(CodeRunnerTest, NamesTheProgramThatIsMissing) {
  const ToolResult result = RunIn("autoit", "MsgBox()");
  EXPECT_TRUE(result.is_error);
  EXPECT_NE(TextOf(result).find("The program 'autoit3', which runs autoit, is not installed"),
            std::string::npos)
      << TextOf(result);
  EXPECT_NE(TextOf(result).find("shellscript"), std::string::npos);
}

TEST_F(CodeRunnerTest, AFloodIsAnError) {
  EXPECT_EQ(TextOf(RunIn("shellscript", "head -c 2000000 /dev/zero")),
            "Error: stdout maxBuffer length exceeded");
}

TEST_F(CodeRunnerTest, ChildrenEndWithTheCall) {
  const ToolResult result = RunIn("shellscript", "sleep 1000 & echo $!");
  const std::string child = TextOf(result);
  ASSERT_FALSE(child.empty());
  // A process that was killed may still be waiting for its parent.
  const auto gone = [&] { return ::kill(std::stoi(child), 0) != 0; };
  const auto dead = [&] {
    std::string stat;
    if (std::FILE* file =
            std::fopen(("/proc/" + std::to_string(std::stoi(child)) + "/stat").c_str(), "r")) {
      char buffer[512] = {};
      if (std::fread(buffer, 1, sizeof buffer - 1, file) > 0) stat = buffer;
      std::fclose(file);
    }
    return stat.find(") Z ") != std::string::npos;
  };
  for (int i = 0; i < 1'000'000 && !gone() && !dead(); ++i) std::this_thread::yield();
  EXPECT_TRUE(gone() || dead());
}

TEST_F(CodeRunnerTest, ACallThatIsGivenUpEnds) {
  std::thread giving_up([&] { cancelled_ = true; });
  const ToolResult result = RunIn("shellscript", "sleep 1000");
  giving_up.join();
  EXPECT_TRUE(result.is_error);
  EXPECT_NE(TextOf(result).find("cancelled"), std::string::npos);
}

TEST_F(CodeRunnerTest, LeavesNoFileBehind) {
  const std::string path = TextOf(RunIn("shellscript", "printf %s \"$0\""));
  EXPECT_TRUE(path.starts_with("/"));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path()));
}

}  // namespace
}  // namespace viv::tools
