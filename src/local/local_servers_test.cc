#include "local/local_servers.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "local/local_annotation.h"

namespace viv::local {
namespace {

class LocalServersTest : public ::testing::Test {
 protected:
  LocalServersTest() {
    char pattern[] = "/tmp/viv-servers-XXXXXX";
    folder_ = ::mkdtemp(pattern);
  }
  ~LocalServersTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& text) {
    std::string path = folder_ + "/servers.yaml";
    std::ofstream(path) << text;
    return path;
  }
  // What is wrong with the file, without its folder.
  std::string Complaint(const std::string& text) {
    auto read = ReadServersFile(Write(text));
    return read ? "" : read.error().message.substr(folder_.size() + 1);
  }

  std::string folder_;
};

TEST_F(LocalServersTest, OffersTheServersOfVivTools) {
  LocalServers servers;
  const LocalServer* found = servers.Find("filesystem");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(
      CommandFor(*found, ""),
      (std::vector<std::string>{"/opt/vivarium/viv-tools", "filesystem", "--workspace", "/data"}));
  EXPECT_EQ(CommandFor(*found, "Toolathlon").back(), "Toolathlon");
  EXPECT_EQ(servers.Find("word"), nullptr);
  EXPECT_EQ(servers.Find(""), nullptr);
  EXPECT_EQ(servers.All().size(), 9u);
}

TEST_F(LocalServersTest, ReadsTheOperatorsOwn) {
  LocalServers servers;
  ASSERT_TRUE(
      servers.AddFile(Write("servers:\n"
                            "  everything:\n"
                            "    command: node\n"
                            "    args: [/srv/index.js, stdio, 7]\n"
                            "    env: {LEVEL: 3}\n"
                            "    template: with-node\n"
                            "    idle_seconds: 60\n"
                            "    start_seconds: 300\n"
                            "    description: All of it\n"
                            "  git: {command: [my-git, --stdio]}\n")));
  const LocalServer* found = servers.Find("everything");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->command, (std::vector<std::string>{"node", "/srv/index.js", "stdio", "7"}));
  EXPECT_EQ(found->variables.at("LEVEL"), "3");
  EXPECT_EQ(found->template_name, "with-node");
  EXPECT_EQ(found->idle_seconds, 60);
  EXPECT_EQ(found->start_seconds, 300);
  EXPECT_EQ(servers.Find("git")->start_seconds, 30);
  EXPECT_EQ(CommandFor(*found, "Toolathlon"), found->command);
  EXPECT_EQ(servers.Find("git")->command[0], "my-git");
  EXPECT_EQ(servers.List().size(), 10u);
  EXPECT_EQ(servers.All().size(), 9u);  // one needs a template of its own
}

TEST_F(LocalServersTest, AnEmptyFileNamesNone) {
  EXPECT_EQ(Complaint(""), "");
  EXPECT_EQ(Complaint("servers:\n"), "");
}

TEST_F(LocalServersTest, EveryComplaintNamesFileAndLine) {
  EXPECT_EQ(Complaint("servers:\n  a:\n    comand: x\n"),
            "servers.yaml:3: unknown key 'comand'; known here: command, args, env, template, "
            "idle_seconds, start_seconds or description");
  EXPECT_EQ(Complaint("servers:\n  a:\n    args: [x]\n").substr(0, 34),
            "servers.yaml:3: command is missing");
  EXPECT_EQ(Complaint("servers:\n  a: {command: x}\n  a: {command: y}\n").substr(0, 15),
            "servers.yaml:3:");
  for (const char* text :
       {"- a\n", "server: {}\n", "servers: [a]\n", "servers:\n  A: {command: x}\n",
        "servers:\n  a b: {command: x}\n", "servers:\n  a: x\n", "servers:\n  a: {command: []}\n",
        "servers:\n  a: {command: ''}\n", "servers:\n  a: {command: {b: c}}\n",
        "servers:\n  a: {command: x, args: y}\n", "servers:\n  a: {command: x, env: [y]}\n",
        "servers:\n  a: {command: x, env: {'A=B': y}}\n",
        "servers:\n  a: {command: x, idle_seconds: 0}\n",
        "servers:\n  a: {command: x, idle_seconds: 1.5}\n",
        "servers:\n  a: {command: x, start_seconds: 3601}\n",
        "servers:\n  a: {command: x, idle_seconds: 999999999999999999999}\n",
        "servers:\n  [1, 2]: {command: x}\n", "servers: {a: {command: x\n"}) {
    EXPECT_TRUE(Complaint(text).starts_with("servers.yaml:")) << text << Complaint(text);
  }
  auto missing = ReadServersFile(folder_ + "/none.yaml");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, folder_ + "/none.yaml: the file cannot be read");
}

TEST(LocalAnnotationTest, ReadsWhatItWrote) {
  LocalAnnotation annotation;
  annotation.servers = {{"git", "1"}, {"excel", "2"}};
  annotation.benchmark = "MCP_Mark";
  annotation.dialect_data["ttl"] = 60;
  auto again = ReadLocalAnnotation(WriteLocalAnnotation(annotation));
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->Has("excel"));
  EXPECT_FALSE(again->Has("filesystem"));
  EXPECT_EQ(again->servers[1].id, "2");
  EXPECT_EQ(again->benchmark, "MCP_Mark");
  EXPECT_EQ(again->dialect_data.at("ttl").as_int64(), 60);
}

TEST(LocalAnnotationTest, ABoxWithoutAnAnnotationIsNoLocalSandbox) {
  boxes::Box box;
  EXPECT_FALSE(LocalAnnotationOf(box));
  for (const char* text : {"", "{", "{}", "[]", R"({"servers":3})"}) {
    box.spec.annotations[kLocalAnnotation] = text;
    EXPECT_FALSE(LocalAnnotationOf(box)) << text;
  }
}

}  // namespace
}  // namespace viv::local
