#include "tools/code_executor/code_executor.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "tools/code_executor/handlers.h"

namespace viv::tools {
namespace {

class CodeExecutorTest : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/viv-code-executor-XXXXXX";
    workspace_ = ::mkdtemp(folder);
    server_ = MakeCodeExecutor(tools::ToolServerOptions{workspace_, ""});
  }
  void TearDown() override { std::filesystem::remove_all(workspace_); }

  CallResult Call(std::string_view tool, json::object arguments) {
    return server_->Call(tool, std::move(arguments), CallContext{never_, {}});
  }
  // The JSON of the block, with the block's own isError beside it.
  json::object Body(std::string_view tool, json::object arguments) {
    auto result = Call(tool, std::move(arguments));
    if (!result) return {{"failure", result.error().message}};
    EXPECT_FALSE(result->is_error);
    const json::object& block = result->content.at(0).get_object();
    json::object body = ParseJson(View(block.at("text").get_string()))->get_object();
    EXPECT_EQ(block.at("isError").get_bool(), View(body.at("status").get_string()) == "error");
    return body;
  }
  static std::string Get(const json::object& body, const char* name) {
    return std::string(FindString(json::value(body), name));
  }

  std::string workspace_;
  std::atomic<bool> never_ = false;
  std::unique_ptr<ToolServer> server_;
};

TEST_F(CodeExecutorTest, EveryToolHasAHandler) {
  EXPECT_TRUE(server_->Unbound().empty());
}

TEST_F(CodeExecutorTest, RunsCodeAmongTheFilesOfTheWorkspace) {
  std::ofstream(workspace_ + "/in.txt") << "seen";
  const json::object body =
      Body("execute_code", {{"code", "print(open('in.txt').read())"}, {"filename", "look.py"}});
  EXPECT_EQ(Get(body, "status"), "success");
  EXPECT_EQ(Get(body, "output"), "seen\n");
  EXPECT_TRUE(Get(body, "generated_filename").starts_with("look_"));
  EXPECT_EQ(Get(body, "file_path"),
            workspace_ + "/.code_executor/" + Get(body, "generated_filename"));
}

TEST_F(CodeExecutorTest, RunsInItsOwnFolderForAtlas) {
  server_ = MakeCodeExecutor(tools::ToolServerOptions{workspace_, "MCP_Atlas"});
  const json::object body = Body("execute_code", {{"code", "import os; print(os.getcwd())"}});
  EXPECT_EQ(Get(body, "output"), workspace_ + "/repos/mcp_code_executor_workspace\n");
}

TEST_F(CodeExecutorTest, AnythingOnTheErrorStreamIsAnError) {
  const json::object warned =
      Body("execute_code", {{"code", "import sys; print('a'); print('b', file=sys.stderr)"}});
  EXPECT_EQ(Get(warned, "status"), "error");
  EXPECT_EQ(Get(warned, "output"), "b\n");
  const json::object failed = Body("execute_code", {{"code", "raise SystemExit(3)"}});
  EXPECT_EQ(Get(failed, "error"),
            "Command failed: python3 -u \"" + Get(failed, "file_path") + "\"\n");
}

TEST_F(CodeExecutorTest, AFileIsBuiltReadAndRun) {
  const json::object made = Body("initialize_code_file", {{"content", "x = 6\n"}});
  const std::string path = Get(made, "file_path");
  EXPECT_EQ(Get(made, "message"), "File initialized successfully");
  Body("append_to_code_file", {{"file_path", path}, {"content", "print(x * 7)\n"}});
  EXPECT_EQ(Get(Body("read_code_file", {{"file_path", path}}), "content"), "x = 6\nprint(x * 7)\n");
  EXPECT_EQ(Get(Body("execute_code_file", {{"file_path", path}}), "output"), "42\n");
  // Its name alone will do.
  EXPECT_EQ(Get(Body("execute_code_file", {{"file_path", Get(made, "filename")}}), "output"),
            "42\n");
}

TEST_F(CodeExecutorTest, AMissingFileReadsAsNodeSaysIt) {
  for (const char* tool : {"read_code_file", "execute_code_file"}) {
    EXPECT_EQ(Get(Body(tool, {{"file_path", "nope.py"}}), "error"),
              "ENOENT: no such file or directory, access 'nope.py'");
  }
}

TEST_F(CodeExecutorTest, FilesOutsideTheWorkspaceAreNotTouched) {
  std::filesystem::create_symlink("/etc/passwd", workspace_ + "/link.py");
  for (const char* path : {"/etc/passwd", "../../etc/passwd", "link.py"})
    EXPECT_TRUE(
        Get(Body("read_code_file", {{"file_path", path}}), "error").starts_with("Access denied"))
        << path;
  const json::object body =
      Body("execute_code", {{"code", "print(1)"}, {"filename", "../../../tmp/evil"}});
  EXPECT_TRUE(Get(body, "error").starts_with("Access denied")) << WriteJson(json::value(body));
  EXPECT_EQ(Get(Body("read_code_file", {{"file_path", "."}}), "error"),
            "EISDIR: illegal operation on a directory, read");
}

TEST_F(CodeExecutorTest, WhatIsMissingFailsTheCall) {
  EXPECT_EQ(Get(Body("execute_code", {{"code", ""}}), "failure"), "Code is required");
  EXPECT_EQ(Get(Body("initialize_code_file", {{"content", ""}}), "failure"), "Content is required");
  EXPECT_EQ(Get(Body("append_to_code_file", {{"file_path", ""}, {"content", "x"}}), "failure"),
            "File path is required");
  EXPECT_FALSE(Call("execute_code", {}).has_value());
}

TEST_F(CodeExecutorTest, PackagesAreLookedFor) {
  const json::object body = Body("check_installed_packages",
                                 {{"packages", json::array{"json", "no_such_module", "a.b", ""}}});
  EXPECT_FALSE(body.at("all_installed").get_bool());
  EXPECT_EQ(WriteJson(body.at("not_installed")), R"(["no_such_module","a.b",""])");
  const json::object& details = body.at("package_details").get_object();
  EXPECT_TRUE(details.at("json").get_object().at("installed").get_bool());
  EXPECT_EQ(Get(details.at("no_such_module").get_object(), "error"), "Package not found");
  EXPECT_EQ(Get(details.at("a.b").get_object(), "error"), "No module named 'a'");
}

TEST_F(CodeExecutorTest, OptionsAreNoPackages) {
  for (const char* name : {"-r", "--index-url=http://evil", ""})
    EXPECT_EQ(Get(Body("install_dependencies", {{"packages", json::array{name}}}), "error"),
              "Invalid package name: '" + std::string(name) + "'");
  EXPECT_EQ(Get(Body("install_dependencies", {{"packages", json::array{}}}), "error"),
            "No packages specified");
}

TEST_F(CodeExecutorTest, TheEnvironmentCanBeChosen) {
  EXPECT_EQ(WriteJson(Body("get_environment_config", {}).at("config")),
            R"({"type":"venv","venv_path":"/usr"})");
  EXPECT_EQ(Get(Body("configure_environment", {{"type", "conda"}}), "error"),
            "conda_name is required when type is 'conda'");
  const json::object changed =
      Body("configure_environment", {{"type", "venv-uv"}, {"uv_venv_path", workspace_ + "/none"}});
  EXPECT_EQ(Get(changed, "message"), "Environment configuration updated");
  EXPECT_EQ(WriteJson(changed.at("current")), R"({"type":"venv-uv","venv_path":"/usr",)"
                                              R"("uv_venv_path":")" +
                                                  workspace_ + R"(/none"})");
  const json::object failed = Body("execute_code", {{"code", "print(1)"}});
  EXPECT_TRUE(Get(failed, "error")
                  .starts_with("Command failed: source " + workspace_ +
                               "/none/bin/activate && python3 -u "));
  EXPECT_NE(Get(failed, "error").find("No such file or directory"), std::string::npos);
}

TEST_F(CodeExecutorTest, AFloodIsAnErrorAndBinaryIsMadeText) {
  const json::object flood = Body(
      "execute_code", {{"code", "import sys\nfor i in range(2000): sys.stdout.write('x' * 1000)"}});
  EXPECT_EQ(Get(flood, "error"), "stdout maxBuffer length exceeded");
  const json::object binary =
      Body("execute_code", {{"code", "import sys; sys.stdout.buffer.write(b'a\\xffb')"}});
  EXPECT_EQ(Get(binary, "output"),
            "a\xEF\xBF\xBD"
            "b");
}

TEST_F(CodeExecutorTest, CodeThatNeverEndsIsStopped) {
  code_executor::Context context(
      code_executor::Storage(Workspace(workspace_), workspace_ + "/code"), workspace_,
      code_executor::EnvironmentConfig{"venv", {}, "/usr", {}});
  context.run_time_max = std::chrono::seconds(1);
  auto result = code_executor::ExecuteCode(context, Arguments({{"code", "while True: pass"}}),
                                           CallContext{never_, {}});
  ASSERT_TRUE(result);
  const std::string text(View(result->content.at(0).get_object().at("text").get_string()));
  EXPECT_NE(text.find("stopped after 1 seconds"), std::string::npos) << text;
}

}  // namespace
}  // namespace viv::tools
