#include "git/git_tree.h"

#include <gtest/gtest.h>

namespace viv::git {
namespace {

const std::string kSha(40, 'a');

std::string TreeLine(const std::string& head, const std::string& path) {
  return head + "\t" + path + std::string(1, '\0');
}

TEST(GitTreeTest, ReadsFilesFoldersSubmodulesAndLinks) {
  std::string output = TreeLine("100644 blob " + kSha + "      12", "a file") +
                       TreeLine("040000 tree " + kSha + "       -", "folder") +
                       TreeLine("160000 commit " + kSha + "       -", "module") +
                       TreeLine("120000 blob " + kSha + "       3", "folder/link\nwith\ttabs");
  auto entries = ParseGitTree(output);
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 4U);
  EXPECT_EQ((*entries)[0].path, "a file");
  EXPECT_EQ((*entries)[0].sha, kSha);
  EXPECT_EQ((*entries)[0].size, 12);
  EXPECT_FALSE((*entries)[0].is_folder);
  EXPECT_TRUE((*entries)[1].is_folder);
  EXPECT_FALSE((*entries)[1].size);
  EXPECT_TRUE((*entries)[2].is_folder);
  EXPECT_FALSE((*entries)[3].is_folder);
  EXPECT_EQ((*entries)[3].path, "folder/link\nwith\ttabs");
}

TEST(GitTreeTest, AnEmptyOutputIsAnEmptyTree) {
  ASSERT_TRUE(ParseGitTree(""));
  EXPECT_TRUE(ParseGitTree("")->empty());
}

TEST(GitTreeTest, RefusesWhatIsNoTree) {
  for (const std::string& output :
       {TreeLine("100644 blob " + kSha, "no size"), TreeLine("100644 blob abc      12", "short"),
        TreeLine("100644 blob " + std::string(40, 'X') + " 1", "no sha"),
        TreeLine("100644 blob " + kSha + " -", "a blob has a size"),
        TreeLine("100644 blob " + kSha + " 1x", "no number"),
        TreeLine("100644 blob " + kSha + " -5", "negative"),
        TreeLine("100644 blob " + kSha + " 99999999999999999999", "huge"),
        TreeLine("100644 tag " + kSha + " 1", "type"), TreeLine("100644 blob " + kSha + " 1", ""),
        std::string("100644 blob " + kSha + " 1\tunended"), std::string("\0", 1)}) {
    auto entries = ParseGitTree(output);
    ASSERT_FALSE(entries) << output;
    EXPECT_EQ(entries.error().code, ErrorCode::kInternal);
  }
}

TEST(GitTreeTest, RefusesMoreEntriesThanTheLimit) {
  std::string line = TreeLine("100644 blob " + kSha + " 1", "x");
  std::string output;
  for (std::size_t i = 0; i < kTreeEntriesMax; ++i) output += line;
  EXPECT_TRUE(ParseGitTree(output));
  auto entries = ParseGitTree(output + line);
  ASSERT_FALSE(entries);
  EXPECT_EQ(entries.error().code, ErrorCode::kLimitExceeded);
}

TEST(GitTreeTest, PathsStayWithinTheRepository) {
  for (const char* path : {"a", "a/b", ".hidden", "..a", "a b", "-x", "a\nb"})
    EXPECT_TRUE(CheckRepositoryPath(path)) << path;
  for (const std::string& path :
       {std::string(), std::string("/a"), std::string("a/"), std::string("a//b"), std::string("."),
        std::string("./a"), std::string(".."), std::string("a/../b"), std::string("a\0b", 3),
        std::string(5000, 'a')})
    EXPECT_FALSE(CheckRepositoryPath(path)) << path;
}

TEST(GitTreeTest, NothingIsWrittenWhereGitKeepsItsOwn) {
  for (const char* path : {".git", "a/.git/config", ".GIT/hooks/x", ".git.", ".git ./x",
                           "GIT~1/config", ".git::$INDEX_ALLOCATION/x", "../.git"})
    EXPECT_FALSE(CheckWritablePath(path)) << path;
  for (const char* path : {".gitignore", "a.git", ".github/workflows/x", "git"})
    EXPECT_TRUE(CheckWritablePath(path)) << path;
}

TEST(GitTreeTest, RepositoriesAreNamedWithoutDotsAndSlashes) {
  EXPECT_TRUE(IsRepositoryName("default"));
  EXPECT_TRUE(IsRepositoryName("0f8fad5b-d9cb-469f-a165-70867728950e"));
  for (const std::string& name :
       {std::string(), std::string(".."), std::string("a/b"), std::string("a.b"), std::string("-a"),
        std::string("a\0", 2), std::string(65, 'a'), std::string("a b"), std::string("\xc3\xa4")})
    EXPECT_FALSE(IsRepositoryName(name)) << name;
}

}  // namespace
}  // namespace viv::git
