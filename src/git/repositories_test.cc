#include "git/repositories.h"

#include <sys/stat.h>

#include <fstream>

#include "git/git_process.h"
#include "git/git_test_support.h"

namespace viv::git {
namespace {

class RepositoriesTest : public RepositoryTest {
 protected:
  using Files = std::vector<Repositories::NewFile>;

  Status Make(const std::string& id) { return RunGitTask(repositories_->Make(id)); }
  auto Commit(const std::string& id, Files files, const std::string& message = "change") {
    return RunGitTask(repositories_->Commit(id, std::move(files), message));
  }
  auto Tree(const std::string& id) { return RunGitTask(repositories_->Tree(id)); }
  auto ReadFile(const std::string& id, const std::string& path) {
    return RunGitTask(repositories_->ReadFile(id, path));
  }
  // What git says in the repository, as the server runs it.
  std::string Git(const std::string& id, std::vector<std::string> arguments) {
    GitCommand command;
    command.folder = folder_ + "/kept/" + id + ".git";
    command.arguments = std::move(arguments);
    auto answer = RunGitTask(RunGit(pool_, std::move(command), "", 1 << 20));
    EXPECT_TRUE(answer) << answer.error().message;
    if (!answer) return {};
    EXPECT_EQ(answer->exit_code, 0) << answer->error_output;
    return answer->output;
  }
};

TEST_F(RepositoriesTest, AFreshRepositoryIsEmpty) {
  EXPECT_FALSE(repositories_->Has("default"));
  Status made = Make("default");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(repositories_->Has("default"));
  EXPECT_TRUE(Make("default")) << "it is there already";
  auto tree = Tree("default");
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_TRUE(tree->empty());
  EXPECT_EQ(ReadFile("default", "a").error().code, ErrorCode::kNotFound);
}

TEST_F(RepositoriesTest, WithoutARepositoryThereIsNothing) {
  EXPECT_EQ(Tree("default").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ReadFile("default", "a").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Commit("default", {{"a", "b"}}).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(RunGitTask(repositories_->Remove("default")));
}

TEST_F(RepositoriesTest, ACommitIsReadBackFileByFile) {
  ASSERT_TRUE(Make("default"));
  std::string binary("\0\xff\n\"", 4);
  auto shas = Commit("default", {{"a.txt", "hello\n"}, {"deep/er/b \"x\"\n\\.bin", binary}});
  ASSERT_TRUE(shas) << shas.error().message;
  ASSERT_EQ(shas->size(), 2U);
  EXPECT_EQ((*shas)[0], "ce013625030ba8dba906f756967f9e9ca394464a");
  auto tree = Tree("default");
  ASSERT_TRUE(tree);
  ASSERT_EQ(tree->size(), 4U);
  EXPECT_EQ((*tree)[0].path, "a.txt");
  EXPECT_EQ((*tree)[0].sha, (*shas)[0]);
  EXPECT_EQ((*tree)[0].size, 6);
  EXPECT_EQ((*tree)[1].path, "deep");
  EXPECT_TRUE((*tree)[1].is_folder);
  EXPECT_EQ(*ReadFile("default", "a.txt"), "hello\n");
  EXPECT_EQ(*ReadFile("default", "deep/er/b \"x\"\n\\.bin"), binary);
  EXPECT_EQ(ReadFile("default", "deep").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ReadFile("default", "deep/none").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ReadFile("default", "*").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ReadFile("default", ":(glob)**").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ReadFile("default", "-r").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ReadFile("default", "../config").error().code, ErrorCode::kInvalidArgument);
}

TEST_F(RepositoriesTest, CommitsBuildOnEachOtherAndHaveAnAuthor) {
  ASSERT_TRUE(Make("default"));
  ASSERT_TRUE(Commit("default", {{"a", "1"}}, "first"));
  ASSERT_TRUE(Commit("default", {{"a", "2"}, {"b", "3"}}, "second\n\nwith a body"));
  EXPECT_EQ(*ReadFile("default", "a"), "2");
  EXPECT_EQ(Git("default", {"log", "--format=%s|%an <%ae>", "main"}),
            "second|Vivarium <vivarium@localhost>\nfirst|Vivarium <vivarium@localhost>\n");
  EXPECT_EQ(Git("default", {"fsck", "--strict", "--no-dangling"}), "");
}

TEST_F(RepositoriesTest, RefusesCommitsThatLeaveTheTreeOrHaveNothing) {
  ASSERT_TRUE(Make("default"));
  auto invalid = ErrorCode::kInvalidArgument;
  for (const char* path : {"", "/etc/passwd", "../x", "a/../../x", ".git/config", "a/.GIT/x"})
    EXPECT_EQ(Commit("default", {{path, "x"}}).error().code, invalid) << path;
  EXPECT_EQ(Commit("default", {}).error().code, invalid);
  EXPECT_EQ(Commit("default", {{"a", "x"}}, std::string("a\0b", 3)).error().code, invalid);
  EXPECT_EQ(Commit("default", {{"a", "x"}}, std::string(70'000, 'm')).error().code, invalid);
  Files many(1001, Repositories::NewFile{"a", ""});
  EXPECT_EQ(Commit("default", std::move(many)).error().code, ErrorCode::kLimitExceeded);
  EXPECT_TRUE(Tree("default")->empty());
}

TEST_F(RepositoriesTest, AMessageCannotBecomeACommand) {
  ASSERT_TRUE(Make("default"));
  ASSERT_TRUE(Commit("default", {{"a", "x\nreset refs/heads/evil\n"}},
                     "m\nM 100644 inline evil\ndata 4\nevil\n"));
  EXPECT_EQ(Tree("default")->size(), 1U);
  EXPECT_EQ(Git("default", {"for-each-ref", "--format=%(refname)"}), "refs/heads/main\n");
}

TEST_F(RepositoriesTest, AccountsHaveRepositoriesOfTheirOwn) {
  ASSERT_TRUE(Make("one"));
  ASSERT_TRUE(Make("two"));
  ASSERT_TRUE(Commit("one", {{"a", "of one"}}));
  EXPECT_TRUE(Tree("two")->empty());
  ASSERT_TRUE(RunGitTask(repositories_->Remove("one")));
  EXPECT_FALSE(repositories_->Has("one"));
  EXPECT_TRUE(repositories_->Has("two"));
  ASSERT_TRUE(Make("one"));
  EXPECT_TRUE(Tree("one")->empty()) << "nothing of the old one is left";
}

TEST_F(RepositoriesTest, IdsThatAreNoPlainNamesAreRefused) {
  for (const std::string& id :
       {std::string("../x"), std::string(""), std::string("a/b"), std::string("a.git"),
        std::string(".new-x"), std::string("a\0b", 3)}) {
    EXPECT_FALSE(Make(id)) << id;
    EXPECT_FALSE(repositories_->Has(id));
    EXPECT_FALSE(Tree(id));
    EXPECT_TRUE(RunGitTask(repositories_->Remove(id)));
  }
}

TEST_F(RepositoriesTest, WhatAnInterruptedStartLeftIsRemoved) {
  ASSERT_TRUE(Make("default"));
  std::filesystem::create_directories(folder_ + "/kept/.new-x/objects");
  std::filesystem::create_directories(folder_ + "/kept/.gone-y");
  repositories_ = std::make_unique<Repositories>(folder_ + "/kept", pool_);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/kept/.new-x"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/kept/.gone-y"));
  EXPECT_TRUE(repositories_->Has("default"));
}

TEST_F(RepositoriesTest, TheFolderIsNobodysButGits) {
  ASSERT_TRUE(Make("default"));
  struct stat entry {};
  ASSERT_EQ(::stat((folder_ + "/kept").c_str(), &entry), 0);
  EXPECT_EQ(entry.st_mode & 077, 0U);
  ASSERT_EQ(::stat((folder_ + "/kept/default.git/HEAD").c_str(), &entry), 0);
  EXPECT_EQ(entry.st_uid, ::geteuid() == 0 ? 65534U : ::geteuid());
  EXPECT_EQ(entry.st_mode & 077, 0U);
}

TEST_F(RepositoriesTest, HooksAndSettingsOfTheMachineDoNotCount) {
  ASSERT_TRUE(Make("default"));
  EXPECT_EQ(Git("default", {"config", "core.hooksPath"}), "/dev/null\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/kept/default.git/hooks"));
}

TEST_F(RepositoriesTest, CommitsAtTheSameTimeAreAllKept) {
  ASSERT_TRUE(Make("default"));
  asio::io_context context;
  std::vector<std::future<Result<std::vector<std::string>>>> made;
  for (int i = 0; i < 6; ++i) {
    Files files = {{"file" + std::to_string(i), std::to_string(i)}};
    made.push_back(asio::co_spawn(context,
                                  repositories_->Commit("default", std::move(files), "one of many"),
                                  asio::use_future));
  }
  context.run();
  for (auto& one : made) EXPECT_TRUE(one.get());
  EXPECT_EQ(Tree("default")->size(), 6U);
}

TEST_F(RepositoriesTest, ACommitThatDoesNotFitIsRefused) {
  repositories_->SetQuota([](std::string_view account_id, std::int64_t used) {
    EXPECT_EQ(account_id, "default");
    EXPECT_GE(used, 0);
    return std::int64_t{1000};
  });
  ASSERT_TRUE(RunGitTask(repositories_->Make("default")));
  std::vector<Repositories::NewFile> large = {{"a", std::string(2000, 'x')}};
  auto refused = RunGitTask(repositories_->Commit("default", std::move(large), "large"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLimitExceeded);
  EXPECT_NE(refused.error().message.find("repository storage limit of this account"),
            std::string::npos);
  std::vector<Repositories::NewFile> small = {{"a", "content"}};
  EXPECT_TRUE(RunGitTask(repositories_->Commit("default", std::move(small), "small")));
  auto size = RunGitTask(repositories_->Size("default"));
  ASSERT_TRUE(size);
  EXPECT_GT(*size, 0);
  EXPECT_EQ(RunGitTask(repositories_->Size("nobody")).value_or(-1), 0);
}

TEST_F(RepositoriesTest, AnOutputThatIsTooLongIsNotReadToItsEnd) {
  ASSERT_TRUE(Make("default"));
  ASSERT_TRUE(Commit("default", {{"a", std::string(100'000, 'x')}}));
  GitCommand command;
  command.folder = folder_ + "/kept/default.git";
  command.arguments = {"cat-file", "blob", "HEAD:a"};
  auto answer = RunGitTask(RunGit(pool_, std::move(command), "", 10'000));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kLimitExceeded);
}

TEST_F(RepositoriesTest, AGitThatHangsIsKilledAtItsDeadline) {
  ASSERT_TRUE(Make("default"));
  GitCommand command;
  command.folder = folder_ + "/kept/default.git";
  command.arguments = {"hash-object", "--stdin"};
  command.deadline = std::chrono::seconds(0);
  auto run = [](BlockingPool& pool, GitCommand what) -> Task<Result<int>> {
    ASSIGN_OR_CO_RETURN(auto process, co_await GitProcess::Start(pool, std::move(what)));
    ASSIGN_OR_CO_RETURN(std::string output, co_await process->Read());
    EXPECT_EQ(output, "");
    EXPECT_TRUE(process->was_killed());
    co_return co_await process->Wait();
  };
  auto ended = RunGitTask(run(pool_, std::move(command)));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kUnavailable);
}

// Root's files around a repository must stay closed to a git that was taken over.
TEST_F(RepositoriesTest, GitSeesNothingOfTheFolderAround) {
  ASSERT_TRUE(Make("default"));
  const std::string secret = folder_ + "/kept/secret";
  std::ofstream(secret) << "[core]\n\tsecret = 1\n";
  GitCommand command;
  command.folder = folder_ + "/kept/default.git";
  command.arguments = {"config", "--file", secret, "core.secret"};
  auto answer = RunGitTask(RunGit(pool_, std::move(command), "", 10'000));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->exit_code == 0, ::geteuid() != 0) << answer->output;
}

}  // namespace
}  // namespace viv::git
