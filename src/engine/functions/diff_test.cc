#include <string>

#include "engine/functions/sql_for_test.h"

namespace viv::engine::functions {
namespace {

TEST(DiffUnifiedTest, WritesHunksWithContext) {
  Sql sql;
  EXPECT_EQ(sql("select diff_unified(?1, ?2)", {"1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nfive\n6\n"}),
            "@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+five\n 6\n");
  EXPECT_EQ(sql("select diff_unified(?1, ?2, 0)", {"1\n2\n3\n", "1\n3\n"}), "@@ -2 +1,0 @@\n-2\n");
  EXPECT_EQ(sql("select diff_unified(?1, ?2, 1)",
                {"1\n2\n3\n4\n5\n6\n7\n", "one\n2\n3\n4\n5\n6\nseven\n"}),
            "@@ -1,2 +1,2 @@\n-1\n+one\n 2\n@@ -6,2 +6,2 @@\n 6\n-7\n+seven\n");
}

TEST(DiffUnifiedTest, JoinsHunksWhoseContextMeets) {
  EXPECT_EQ(Sql()("select diff_unified(?1, ?2, 1)", {"1\n2\n3\n4\n", "one\n2\n3\nfour\n"}),
            "@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n-4\n+four\n");
}

TEST(DiffUnifiedTest, TakesNullAsAbsent) {
  Sql sql;
  EXPECT_EQ(sql("select diff_unified(NULL, ?1)", {"a\nb\n"}), "@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(sql("select diff_unified(?1, NULL)", {"a\n"}), "@@ -1 +0,0 @@\n-a\n");
  EXPECT_EQ(sql("select diff_unified(NULL, NULL)"), "");
  EXPECT_EQ(sql("select diff_unified('a', 'a')"), "");
}

TEST(DiffUnifiedTest, MarksAMissingLastLineEnd) {
  EXPECT_EQ(Sql()("select diff_unified(?1, ?2)", {"a\nb", "a\nb\n"}),
            "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
}

TEST(DiffUnifiedTest, RefusesAWrongContextAndTooManyLines) {
  Sql sql;
  EXPECT_EQ(sql("select diff_unified('a', 'b', -1)"),
            "error: diff_unified: the context must be between 0 and 100000");
  EXPECT_EQ(sql("select diff_unified('a', 'b', 'x')"),
            "error: diff_unified: argument 3 must be an integer");
  EXPECT_EQ(sql("select diff_unified('a', ?1)", {std::string(200001, '\n')}),
            "error: diff_unified: more than 200000 lines");
}

TEST(DiffStatTest, CountsLines) {
  Sql sql;
  EXPECT_EQ(sql("select diff_stat(?1, ?2)", {"1\n2\n3\n", "1\ntwo\n3\n4\n"}),
            R"({"additions":2,"deletions":1,"changes":3})");
  EXPECT_EQ(sql("select diff_stat(NULL, 'a') ->> 'additions'"), "1");
  EXPECT_EQ(sql("select diff_stat('a', 'a') ->> 'changes'"), "0");
}

std::string Merge(const std::string& base, const std::string& ours, const std::string& theirs) {
  return Sql()("select merge_three(?1, ?2, ?3)", {base, ours, theirs});
}

TEST(MergeThreeTest, TakesWhatOneSideChanged) {
  EXPECT_EQ(Merge("1\n2\n3\n", "1\n2\n3\n", "1\ntwo\n3\n"), "1\ntwo\n3\n");
  EXPECT_EQ(Merge("1\n2\n3\n", "one\n2\n3\n", "1\n2\nthree\n"), "one\n2\nthree\n");
  EXPECT_EQ(Merge("1\n2\n3\n", "0\n1\n2\n3\n", "1\n2\n"), "0\n1\n2\n");
  EXPECT_EQ(Merge("", "", "a\n"), "a\n");
}

TEST(MergeThreeTest, TakesEqualChangesOnce) {
  EXPECT_EQ(Merge("1\n2\n", "1\ntwo\n", "1\ntwo\n"), "1\ntwo\n");
}

TEST(MergeThreeTest, GivesNullOnConflicts) {
  EXPECT_EQ(Merge("1\n2\n3\n", "1\na\n3\n", "1\nb\n3\n"), "NULL");
  EXPECT_EQ(Merge("1\n2\n", "one\n2\n", "1\ntwo\n"), "NULL");  // they touch
  EXPECT_EQ(Merge("1\n", "", "one\n"), "NULL");
  EXPECT_EQ(Merge("", "a\n", "b\n"), "NULL");
}

}  // namespace
}  // namespace viv::engine::functions
