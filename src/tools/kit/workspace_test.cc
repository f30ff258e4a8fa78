#include "tools/kit/workspace.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace viv::tools {
namespace {

namespace fs = std::filesystem;

class WorkspaceTest : public testing::Test {
 protected:
  WorkspaceTest() {
    char name[] = "/tmp/viv-workspace-XXXXXX";
    base_ = ::mkdtemp(name);
    fs::create_directories(base_ + "/data/sub");
    fs::create_directories(base_ + "/outside");
    std::ofstream(base_ + "/data/sub/file") << "inside";
    std::ofstream(base_ + "/outside/secret") << "secret";
  }
  ~WorkspaceTest() override { fs::remove_all(base_); }

  std::string base_;
  Workspace workspace() const { return Workspace(base_ + "/data"); }
};

TEST_F(WorkspaceTest, RelativePathsAreBelowTheRoot) {
  EXPECT_EQ(workspace().Absolute("sub/../x"), base_ + "/data/x");
  EXPECT_EQ(workspace().Absolute("/a//b/./c/.."), "/a/b");
  EXPECT_EQ(*workspace().Real("sub/file"), base_ + "/data/sub/file");
  EXPECT_EQ(*workspace().Real("."), base_ + "/data");
}

TEST_F(WorkspaceTest, RefusesWhatIsOutside) {
  for (const std::string& path : {std::string("../outside/secret"), base_ + "/outside/secret",
                                  std::string("/etc/passwd"), base_ + "/database"}) {
    auto real = workspace().Real(path);
    ASSERT_FALSE(real) << path;
    EXPECT_EQ(real.error().code, ErrorCode::kPermissionDenied) << path;
  }
}

TEST_F(WorkspaceTest, FollowsLinksInsideAndRefusesThoseThatLeave) {
  fs::create_symlink("sub/file", base_ + "/data/in");
  fs::create_symlink(base_ + "/outside", base_ + "/data/out");
  EXPECT_EQ(*workspace().Real("in"), base_ + "/data/sub/file");
  EXPECT_EQ(workspace().Real("out/secret").error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(workspace().RealForNew("out/new").error().code, ErrorCode::kPermissionDenied);
}

TEST_F(WorkspaceTest, ALinkThatAppearsLaterLeadsNowhere) {
  const std::string real = *workspace().Real("sub/file");
  fs::remove(real);
  fs::create_symlink(base_ + "/outside/secret", real);
  EXPECT_FALSE(workspace().Open(real, O_RDONLY));
  fs::remove_all(base_ + "/data/sub");
  fs::create_directory_symlink(base_ + "/outside", base_ + "/data/sub");
  EXPECT_FALSE(workspace().Open(base_ + "/data/sub/secret", O_RDONLY));
}

TEST_F(WorkspaceTest, ANewFileNeedsItsFolder) {
  EXPECT_EQ(*workspace().RealForNew("sub/new"), base_ + "/data/sub/new");
  EXPECT_EQ(workspace().RealForNew("nowhere/new").error().code, ErrorCode::kNotFound);
  fs::create_symlink(base_ + "/outside/later", base_ + "/data/dangling");
  EXPECT_EQ(workspace().RealForNew("dangling").error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(workspace().Real(std::string_view("a\0b", 3)).error().code,
            ErrorCode::kInvalidArgument);
}

TEST_F(WorkspaceTest, WhatSomebodyMakesInTheMeantimeIsNoLink) {
  const std::string path = base_ + "/data/appears";
  std::thread maker([&path] {
    for (int i = 0; i < 5000; ++i) {
      fs::create_directory(path);
      fs::remove(path);
    }
  });
  for (int i = 0; i < 5000; ++i) {
    auto real = workspace().RealForNew(path);
    EXPECT_TRUE(real || real.error().code == ErrorCode::kNotFound) << real.error().message;
  }
  maker.join();
}

TEST_F(WorkspaceTest, ReplacesAFileWholeAndKeepsItsMode) {
  const std::string real = *workspace().Real("sub/file");
  ::chmod(real.c_str(), 0640);
  ASSERT_TRUE(ReplaceFile(workspace(), real, "new text"));
  struct stat status {};
  ASSERT_EQ(::stat(real.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
  auto file = workspace().Open(real, O_RDONLY);
  ASSERT_TRUE(file);
  EXPECT_EQ(*ReadAll(file->get(), 100), "new text");
  auto again = workspace().Open(real, O_RDONLY);
  EXPECT_EQ(ReadAll(again->get(), 3).error().code, ErrorCode::kLimitExceeded);
  EXPECT_FALSE(ReplaceFile(workspace(), base_ + "/data/sub", "x"));
  EXPECT_EQ(std::distance(fs::directory_iterator(base_ + "/data/sub"), fs::directory_iterator()),
            1);
}

TEST(NodeErrorTextTest, SaysItAsNodeDoes) {
  EXPECT_EQ(NodeErrorText(ENOENT, "open", "/data/x"),
            "ENOENT: no such file or directory, open '/data/x'");
}

}  // namespace
}  // namespace viv::tools
