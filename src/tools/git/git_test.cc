#include "tools/git/git.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "tools/kit/run.h"

namespace viv::tools {
namespace {

// A repository with two commits: a.txt says "one", then "two".
class GitTest : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/viv-git-XXXXXX";
    workspace_ = ::mkdtemp(folder);
    server_ = MakeGit(tools::ToolServerOptions{workspace_, ""});
    Shell(
        "git init -q -b main repo && cd repo && git config user.name Ann && "
        "git config user.email ann@example.org && echo one > a.txt && git add . && "
        "git commit -qm first && echo two > a.txt && git commit -qam second && "
        "git branch old HEAD~1");
  }
  void TearDown() override { std::filesystem::remove_all(workspace_); }

  void Shell(const std::string& script) {
    RunRequest request;
    request.arguments = {"/bin/sh", "-c", script};
    request.folder = workspace_;
    request.variables = {{"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_CONFIG_SYSTEM", "/dev/null"}};
    auto end = tools::Run(request);
    ASSERT_TRUE(end && end->exit_code == 0) << (end ? end->error : end.error().message);
  }
  // The text; errors begin with "!".
  std::string Call(std::string_view tool, json::object arguments = {}) {
    if (!arguments.contains("repo_path")) arguments["repo_path"] = "repo";
    auto result = server_->Call(tool, std::move(arguments), CallContext{never_, {}});
    if (!result) return "failure: " + result.error().message;
    return (result->is_error ? "!" : "") + std::string(FindString(result->content.at(0), "text"));
  }

  std::string workspace_;
  std::atomic<bool> never_ = false;
  std::unique_ptr<ToolServer> server_;
};

TEST_F(GitTest, EveryToolHasAHandler) {
  EXPECT_TRUE(server_->Unbound().empty());
}

TEST_F(GitTest, OnlyARepositoryItselfIsOne) {
  std::filesystem::create_directory(workspace_ + "/repo/sub");
  EXPECT_TRUE(Call("git_status").starts_with("Repository status:\nOn branch main"));
  EXPECT_TRUE(Call("git_status", {{"repo_path", "repo/.git"}}).starts_with("Repository status:"));
  for (const char* path : {"repo/sub", "nope", "repo/a.txt", "."})
    EXPECT_TRUE(Call("git_status", {{"repo_path", path}}).starts_with("!" + workspace_)) << path;
}

TEST_F(GitTest, ShowsHistoryInPythonsWords) {
  const std::string log = Call("git_log", {{"max_count", 1}});
  EXPECT_TRUE(log.starts_with("Commit history:\nCommit: '")) << log;
  EXPECT_NE(log.find("Author: <git.Actor \"Ann <ann@example.org>\">\nDate: 20"), std::string::npos);
  EXPECT_TRUE(log.ends_with("\nMessage: 'second\\n'\n")) << log;
  EXPECT_EQ(Call("git_log", {{"max_count", 0}}), "Commit history:\n");
  const std::string shown = Call("git_show", {{"revision", "HEAD"}});
  EXPECT_TRUE(shown.ends_with("\n--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+two\n")) << shown;
  EXPECT_TRUE(Call("git_show", {{"revision", "old"}})
                  .ends_with("\n--- None\n+++ a.txt\n@@ -0,0 +1 @@\n+one\n"));
}

TEST_F(GitTest, EveryCommitOfATimeKeepsItsLines) {
  const std::string log = Call("git_log", {{"start_timestamp", "2000-01-01"}});
  EXPECT_NE(log.find("\nMessage: second\n\nCommit: "), std::string::npos) << log;
  EXPECT_TRUE(log.ends_with("\nMessage: first\n")) << log;
}

TEST_F(GitTest, StagesCommitsAndResets) {
  std::ofstream(workspace_ + "/repo/b.txt") << "new\n";
  EXPECT_EQ(Call("git_add", {{"files", json::array{"b.txt"}}}), "Files staged successfully");
  EXPECT_NE(Call("git_diff_staged").find("+new"), std::string::npos);
  EXPECT_EQ(Call("git_reset"), "All staged changes reset");
  EXPECT_EQ(Call("git_diff_staged"), "Staged changes:\n");
  Call("git_add", {{"files", json::array{"."}}});
  const std::string made = Call("git_commit", {{"message", "it's\n\n \"so\""}});
  EXPECT_TRUE(made.starts_with("Changes committed successfully with hash ")) << made;
  EXPECT_TRUE(Call("git_log", {{"max_count", 1}}).ends_with("Message: 'it\\'s\\n\\n \"so\"'\n"));
  EXPECT_NE(Call("git_status").find("working tree clean"), std::string::npos);
}

TEST_F(GitTest, CommitsWithoutAnyConfiguration) {
  Shell("git init -q -b main fresh && echo x > fresh/x");
  ::setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
  Call("git_add", {{"repo_path", "fresh"}, {"files", json::array{"x"}}});
  const std::string made = Call("git_commit", {{"repo_path", "fresh"}, {"message", "m"}});
  ::unsetenv("GIT_CONFIG_GLOBAL");
  EXPECT_TRUE(made.starts_with("Changes committed")) << made;
}

TEST_F(GitTest, BranchesAreMadeListedAndEntered) {
  EXPECT_EQ(Call("git_create_branch", {{"branch_name", "new"}}),
            "Created branch 'new' from 'main'");
  EXPECT_EQ(Call("git_create_branch", {{"branch_name", "more"}, {"base_branch", "old"}}),
            "Created branch 'more' from 'old'");
  EXPECT_TRUE(Call("git_create_branch", {{"branch_name", "old"}})
                  .starts_with("!Reference at 'refs/heads/old' does already exist"));
  EXPECT_EQ(Call("git_create_branch", {{"branch_name", "x"}, {"base_branch", "main~1"}}),
            "!No item found with id main~1");
  EXPECT_EQ(Call("git_checkout", {{"branch_name", "new"}}), "Switched to branch 'new'");
  EXPECT_EQ(Call("git_branch", {{"branch_type", "local"}}), "  main\n  more\n* new\n  old");
  EXPECT_EQ(Call("git_branch", {{"branch_type", "some"}}), "Invalid branch type: some");
}

TEST_F(GitTest, NamesThatLeadNowhereAreExplained) {
  const std::pair<const char*, const char*> cases[] = {
      {"nope", "!Ref 'nope' did not resolve to an object"},
      {"main..old", "!Ref 'main..old' did not resolve to an object"},
      {"HEAD~9",
       "!Ref 'Invalid revision spec 'HEAD~9' - not enough parent commits to reach '~9'' did not "
       "resolve to an object"},
      {"HEAD:nope", "!\"Blob or Tree named 'nope' not found\""},
      {"HEAD^{foo}", "!Invalid output type: foo ( in HEAD^{foo} )"},
      {"^main", "!Revision specifier must start with an object name: ^main"},
      {"--output=/tmp/x",
       "!Ref 'Invalid target: '--output=/tmp/x' - cannot start with '-'' did not "
       "resolve to an object"},
  };
  for (const auto& [target, text] : cases) EXPECT_EQ(Call("git_diff", {{"target", target}}), text);
  EXPECT_TRUE(Call("git_show", {{"revision", "HEAD:a.txt"}})
                  .starts_with("!Cannot convert object <git.Blob"));
}

TEST_F(GitTest, FilesOutsideTheRepositoryAreNotStaged) {
  std::filesystem::create_symlink("/etc", workspace_ + "/repo/out");
  for (const char* file : {"../x", "/etc/passwd", "out/passwd"})
    EXPECT_EQ(
        Call("git_add", {{"files", json::array{file}}}),
        "!Path '" + std::string(file) + "' is outside the repository '" + workspace_ + "/repo'");
  EXPECT_NE(Call("git_add", {{"files", json::array{"--force"}}}).find("pathspec"),
            std::string::npos);
}

TEST_F(GitTest, RunsNoHooks) {
  Shell(
      "printf '#!/bin/sh\\ntouch ../hooked\\n' > repo/.git/hooks/post-checkout && "
      "chmod +x repo/.git/hooks/post-checkout");
  EXPECT_EQ(Call("git_checkout", {{"branch_name", "old"}}), "Switched to branch 'old'");
  EXPECT_FALSE(std::filesystem::exists(workspace_ + "/hooked"));
}

TEST_F(GitTest, ABareRepositoryHasNothingToCommit) {
  Shell("git clone -q --bare repo bare.git");
  EXPECT_TRUE(
      Call("git_log", {{"repo_path", "bare.git"}}).starts_with("Commit history:\nCommit: "));
  EXPECT_TRUE(Call("git_commit", {{"repo_path", "bare.git"}, {"message", "m"}})
                  .starts_with("!Cmd('git') failed"));
}

}  // namespace
}  // namespace viv::tools
