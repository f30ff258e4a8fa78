#include "tools/git/commit.h"

#include <gtest/gtest.h>

namespace viv::tools::git {
namespace {

constexpr std::string_view kRaw =
    "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"
    "parent 1111111111111111111111111111111111111111\n"
    "parent 2222222222222222222222222222222222222222\n"
    "author Ann \"Q\" <ann@example.org> 1712151544 +0200\n"
    "committer Bob <bob@example.org> 1712151545 +0000\n"
    "\n"
    "first\n\nbody\n";

TEST(CommitTest, ReadsWhatGitStores) {
  const Commit commit = ParseCommit("abc", kRaw);
  EXPECT_EQ(commit.id, "abc");
  EXPECT_EQ(commit.parents.size(), 2U);
  EXPECT_EQ(AuthorText(commit), "<git.Actor \"Ann \"Q\" <ann@example.org>\">");
  EXPECT_EQ(DateText(commit), "2024-04-03 15:39:04+02:00");
  EXPECT_EQ(commit.message, "first\n\nbody\n");
  EXPECT_TRUE(
      DateObjectText(commit).starts_with("datetime.datetime(2024, 4, 3, 15, 39, 4, tzinfo="));
}

std::string DateOf(const std::string& author) {
  return DateText(ParseCommit("x", "author " + author + "\n\n"));
}

TEST(CommitTest, ReadsDamagedAuthors) {
  EXPECT_EQ(DateOf("A <a> 0 -0330"), "1969-12-31 20:30:00-03:30");
  EXPECT_EQ(DateOf("A <a> 99999999999999999999 +0000"), "1970-01-01 00:00:00+00:00");
  EXPECT_EQ(DateOf("A <a> 253402300799 +0000"), "1970-01-01 00:00:00+00:00");
  EXPECT_EQ(DateOf("A <a> 0 +9999"), "1970-01-01 00:00:00+00:00");
  EXPECT_EQ(DateOf("A <a> 0 +-9999999"), "1970-01-01 00:00:00+00:00");
  EXPECT_EQ(DateOf("A <a> zero +x"), "1970-01-01 00:00:00+00:00");
  EXPECT_EQ(AuthorText(ParseCommit("x", "author nobody\n\n")), "<git.Actor \"nobody <None>\">");
  EXPECT_EQ(AuthorText(ParseCommit("x", "author <> 0 +0000\n\n")), "<git.Actor \" <>\">");
  EXPECT_EQ(AuthorText(ParseCommit("x", "")), "<git.Actor \" <None>\">");
}

TEST(CommitTest, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(ParseCommit("x", "tree a\n\nb\xff").message, "b\xEF\xBF\xBD");
}

TEST(CommitTest, TakesABatchApart) {
  const std::string one =
      "id1 commit " + std::to_string(kRaw.size()) + "\n" + std::string(kRaw) + "\n";
  EXPECT_EQ(ParseCommits(one + one).size(), 2U);
  EXPECT_EQ(ParseCommits(one + "id2 missing\n").size(), 1U);
  EXPECT_EQ(ParseCommits(one + one.substr(0, 40)).size(), 1U);
  EXPECT_TRUE(ParseCommits("id commit 18446744073709551615\nx\n").empty());
  EXPECT_TRUE(ParseCommits("id commit -1\nx\n").empty());
  EXPECT_TRUE(ParseCommits("id tree 1\nx\n").empty());
}

}  // namespace
}  // namespace viv::tools::git
