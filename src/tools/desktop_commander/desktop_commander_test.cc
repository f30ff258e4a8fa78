#include "tools/desktop_commander/desktop_commander.h"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/json.h"

namespace viv::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A workspace and a home of its own; files outside it are what must not be reached.
class CommanderTest : public ::testing::Test {
 protected:
  CommanderTest() {
    char name[] = "/tmp/viv-commander-XXXXXX";
    root_ = ::mkdtemp(name);
    std::filesystem::create_directories(root_ + "/data");
    std::filesystem::create_directories(root_ + "/home");
    ::setenv("HOME", (root_ + "/home").c_str(), 1);
    Write("../secret", "hidden");
    server_ =
        MakeDesktopCommander(tools::ToolServerOptions{.workspace = root_ + "/data", .profile = ""});
  }
  ~CommanderTest() override {
    server_.reset();
    std::filesystem::remove_all(root_);
  }

  void Write(const std::string& name, std::string_view text) {
    std::filesystem::create_directories(
        std::filesystem::path(root_ + "/data/" + name).parent_path());
    std::ofstream(root_ + "/data/" + name) << text;
  }
  std::string Read(const std::string& name) {
    std::ifstream file(root_ + "/data/" + name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  ToolResult Call(std::string_view tool, json::object arguments) {
    return server_->Call(tool, std::move(arguments), CallContext{cancelled_, {}}).value();
  }
  std::string Said(std::string_view tool, json::object arguments) {
    const ToolResult result = Call(tool, std::move(arguments));
    return (result.is_error ? "isError " : "") +
           std::string(FindString(result.content.at(0), "text"));
  }

  std::string root_;
  std::atomic<bool> cancelled_ = false;
  std::unique_ptr<ToolServer> server_;
};

TEST_F(CommanderTest, EveryToolHasAHandler) {
  EXPECT_TRUE(server_->Unbound().empty());
}

TEST_F(CommanderTest, NoFileToolLeavesTheWorkspace) {
  ::symlink((root_ + "/secret").c_str(), (root_ + "/data/link").c_str());
  ::symlink(root_.c_str(), (root_ + "/data/up").c_str());
  ::symlink((root_ + "/nowhere").c_str(), (root_ + "/data/dangling").c_str());
  for (const char* path :
       {"../secret", "/etc/passwd", "link", "up/secret", "~/x", "a/../../secret"}) {
    EXPECT_THAT(Said("read_file", {{"path", path}}),
                StartsWith("isError Error: Path not allowed: "))
        << path;
    EXPECT_THAT(Said("write_file", {{"path", path}, {"content", "x"}}), StartsWith("isError"))
        << path;
    EXPECT_THAT(Said("edit_block", {{"file_path", path}, {"old_string", "h"}, {"new_string", "x"}}),
                StartsWith("isError"))
        << path;
    EXPECT_THAT(Said("get_file_info", {{"path", path}}), StartsWith("isError")) << path;
    EXPECT_THAT(Said("read_multiple_files", {{"paths", json::array{path}}}),
                HasSubstr("not allowed"));
  }
  EXPECT_THAT(Said("write_file", {{"path", "dangling"}, {"content", "x"}}), StartsWith("isError"));
  EXPECT_THAT(Said("create_directory", {{"path", "up/new"}}), StartsWith("isError"));
  EXPECT_THAT(Said("list_directory", {{"path", "up"}}), StartsWith("isError"));
  EXPECT_THAT(Said("move_file", {{"source", "link"}, {"destination", "mine"}}),
              StartsWith("isError"));
  EXPECT_THAT(Said("search_files", {{"path", ".."}, {"pattern", "secret"}}), StartsWith("isError"));
  EXPECT_THAT(Said("search_code", {{"path", "up"}, {"pattern", "hidden"}}), StartsWith("isError"));
  EXPECT_THAT(Said("search_code", {{"path", "."}, {"pattern", "hidden"}}),
              StartsWith("No matches"));
  EXPECT_EQ(Read("../secret"), "hidden");
}

TEST_F(CommanderTest, ReadsWhatItWrote) {
  EXPECT_EQ(Said("write_file", {{"path", "a.txt"}, {"content", "1\n2\n"}}),
            "Successfully wrote to a.txt (3 lines) ");
  EXPECT_EQ(Said("write_file", {{"path", "a.txt"}, {"content", "3"}, {"mode", "append"}}),
            "Successfully appended to a.txt (1 lines) ");
  EXPECT_EQ(Said("read_file", {{"path", "a.txt"}}),
            "[Reading 3 lines from start (total: 3 lines, 0 remaining)]\n\n1\n2\n3");
  EXPECT_THAT(Said("write_file", {{"path", "no/a.txt"}, {"content", ""}}),
              HasSubstr("ENOENT: no such file or directory, open '"));
  EXPECT_THAT(Said("read_file", {{"path", "missing"}}), HasSubstr("ENOENT"));
  EXPECT_THAT(Said("read_file", {{"path", "."}}), HasSubstr("was not a file"));
}

TEST_F(CommanderTest, PipesAndBinariesAreNoText) {
  ::mkfifo((root_ + "/data/pipe").c_str(), 0600);
  EXPECT_THAT(Said("read_file", {{"path", "pipe"}}), StartsWith("isError"));
  EXPECT_THAT(Said("write_file", {{"path", "pipe"}, {"content", "x"}, {"mode", "append"}}),
              StartsWith("isError"));
  Write("b.bin", std::string_view("\0\1\2", 3));
  EXPECT_THAT(Said("read_file", {{"path", "b.bin"}}),
              StartsWith("Cannot read binary file as text: b.bin"));
  Write("i.png", "not really");
  EXPECT_EQ(Call("read_file", {{"path", "i.png"}}).content.size(), 2u);
}

TEST_F(CommanderTest, EditsExactlyWhatWasMeant) {
  Write("e.txt", "a\r\nb\r\na\r\n");
  EXPECT_EQ(
      Said("edit_block", {{"file_path", "e.txt"}, {"old_string", "a\nb"}, {"new_string", "x\ny"}}),
      "Successfully applied 1 edit to e.txt");
  EXPECT_EQ(Read("e.txt"), "x\r\ny\r\na\r\n");
  EXPECT_THAT(
      Said("edit_block", {{"file_path", "e.txt"}, {"old_string", "\r\n"}, {"new_string", ""}}),
      StartsWith("Expected 1 occurrences but found 3"));
  EXPECT_THAT(Said("edit_block", {{"file_path", "e.txt"}, {"old_string", ""}, {"new_string", ""}}),
              StartsWith("Empty search strings"));
  Write("f.txt", "const value = 10;\n");
  EXPECT_THAT(
      Said("edit_block",
           {{"file_path", "f.txt"}, {"old_string", "const valeu = 10;"}, {"new_string", ""}}),
      HasSubstr("similar text with 88% similarity"));
  EXPECT_THAT(
      Said("edit_block", {{"file_path", "f.txt"}, {"old_string", "zzzzzz"}, {"new_string", ""}}),
      HasSubstr("below the 70% threshold"));
}

TEST_F(CommanderTest, FoldersAreMadeListedAndMoved) {
  EXPECT_EQ(Said("create_directory", {{"path", "a/b/c"}}), "Successfully created directory a/b/c");
  EXPECT_EQ(Said("create_directory", {{"path", "a/b/c"}}), "Successfully created directory a/b/c");
  Write("a/f", "x");
  EXPECT_EQ(Said("list_directory", {{"path", "a"}}), "[DIR] b\n[FILE] f");
  EXPECT_THAT(Said("create_directory", {{"path", "a/f"}}), HasSubstr("EEXIST"));
  EXPECT_THAT(Said("create_directory", {{"path", "a/f/g"}}), HasSubstr("ENOTDIR"));
  EXPECT_EQ(Said("move_file", {{"source", "a/f"}, {"destination", "g"}}),
            "Successfully moved a/f to g");
  EXPECT_THAT(Said("move_file", {{"source", "a/f"}, {"destination", "h"}}), HasSubstr("ENOENT"));
  EXPECT_THAT(Said("move_file", {{"source", "."}, {"destination", "h"}}), StartsWith("isError"));
  EXPECT_THAT(Said("get_file_info", {{"path", "g"}}),
              HasSubstr("isFile: true\npermissions: 644\nlineCount: 1"));
}

TEST_F(CommanderTest, SearchesNamesAndContents) {
  Write("src/Main.cc", "int main() {}\n");
  Write("src/.hidden", "main\n");
  Write("src/.git/HEAD", "main");
  Write("src/.gitignore", "*.log\n");
  Write("src/x.log", "main\n");
  EXPECT_EQ(Said("search_files", {{"path", "."}, {"pattern", "main"}}),
            root_ + "/data/src/Main.cc");
  EXPECT_EQ(Said("search_code", {{"path", "."}, {"pattern", "MAIN"}}),
            root_ + "/data/src/Main.cc:\n  1: main");
  EXPECT_THAT(Said("search_code", {{"path", "."}, {"pattern", "main"}, {"includeHidden", true}}),
              HasSubstr(".hidden"));
  EXPECT_THAT(Said("search_code", {{"path", "."}, {"pattern", "main"}, {"filePattern", "*.log"}}),
              HasSubstr("x.log"));
  EXPECT_THAT(Said("search_code", {{"path", "."}, {"pattern", "(?=x)"}}),
              StartsWith("isError Error: Invalid"));
}

TEST_F(CommanderTest, SettingsLast) {
  EXPECT_THAT(Said("set_config_value", {{"key", "allowedDirectories"}, {"value", root_}}),
              StartsWith("Successfully set allowedDirectories to [\n  \"" + root_ + "\"\n]"));
  EXPECT_THAT(Said("read_file", {{"path", "../secret"}}), HasSubstr("hidden"));
  server_ =
      MakeDesktopCommander(tools::ToolServerOptions{.workspace = root_ + "/data", .profile = ""});
  EXPECT_THAT(Said("read_file", {{"path", "../secret"}}), HasSubstr("hidden"));
  EXPECT_THAT(Said("set_config_value", {{"key", "x"}, {"value", std::string(300'000, 'x')}}),
              StartsWith("isError"));
  EXPECT_THAT(Said("set_config_value", {{"key", "allowedDirectories"}, {"value", json::array{7}}}),
              Not(StartsWith("isError")));
  EXPECT_THAT(Said("read_file", {{"path", "../secret"}}), StartsWith("isError"));
  Said("set_config_value", {{"key", "usageStats"}, {"value", "broken"}});
  EXPECT_THAT(Said("get_usage_stats", {}), HasSubstr("• Total calls: 1 "));
}

TEST_F(CommanderTest, TheConfigurationIsThatOfItsOriginal) {
  const std::string said = Said("get_config", {});
  const std::string intro = "Current configuration:\n";
  ASSERT_THAT(said, StartsWith(intro));
  json::value config = *ParseJson(said.substr(intro.size()));
  std::string keys;
  for (const auto& [key, value] : config.as_object()) keys += std::string(key) + " ";
  EXPECT_EQ(keys,
            "blockedCommands defaultShell allowedDirectories telemetryEnabled fileWriteLineLimit "
            "fileReadLineLimit version clientId usageStats currentClient systemInfo ");
  EXPECT_EQ(FindString(config, "defaultShell"), "/bin/sh");
  json::object& stats = config.at("usageStats").as_object();
  EXPECT_EQ(stats["firstUsed"], stats["lastUsed"]);
  for (const char* time : {"firstUsed", "lastUsed"}) stats[time] = 0;
  EXPECT_EQ(WriteJson(stats),
            R"({"filesystemOperations":0,"terminalOperations":0,"editOperations":0,)"
            R"("searchOperations":0,"configOperations":1,"processOperations":0,)"
            R"("totalToolCalls":1,"successfulCalls":1,"failedCalls":0,)"
            R"("toolCounts":{"set_config_value":1},"firstUsed":0,"lastUsed":0,)"
            R"("totalSessions":2,"lastFeedbackPrompt":0})");
  EXPECT_EQ(WriteJson(config.at("currentClient")), R"({"name":"mcp","version":"0.1.0"})");
  EXPECT_EQ(WriteJson(config.at("systemInfo")),
            R"({"platform":"linux","platformName":"Linux","defaultShell":"bash",)"
            R"("pathSeparator":"/","isWindows":false,"isMacOS":false,"isLinux":true,)"
            R"("examplePaths":{"home":"/home/username","temp":"/tmp",)"
            R"("absolute":"/path/to/file.txt"}})");
}

TEST_F(CommanderTest, ProcessesStartAndBlockedOnesDoNot) {
  EXPECT_THAT(Said("start_process", {{"command", "echo hi; pwd"}, {"timeout_ms", 600'000}}),
              HasSubstr("(shell: /bin/sh)\nInitial output:\nhi\n" + root_ + "/data\n"));
  EXPECT_EQ(Said("start_process", {{"command", "sudo id"}, {"timeout_ms", 1}}),
            "isError Error: Command not allowed: sudo id");
  EXPECT_THAT(Said("start_process", {{"command", "x"}, {"timeout_ms", 1}, {"shell", "/no/shell"}}),
              StartsWith("isError"));
  EXPECT_THAT(Said("start_process", {{"command", "exec sleep 1000"}, {"timeout_ms", 1}}),
              HasSubstr("⏳"));
  EXPECT_EQ(Said("read_process_output", {{"pid", 999999999}}),
            "isError No session found for PID 999999999");
  EXPECT_EQ(Said("force_terminate", {{"pid", -1}}), "No active session found for PID -1");
  for (int pid : {0, -1, static_cast<int>(::getpid())})
    EXPECT_THAT(Said("kill_process", {{"pid", pid}}), StartsWith("isError"));
}

}  // namespace
}  // namespace viv::tools
