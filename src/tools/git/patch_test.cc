#include "tools/git/patch.h"

#include <gtest/gtest.h>

namespace viv::tools::git {
namespace {

std::string ShownChanges(std::string_view patch) {
  std::string text;
  for (const FileChange& change : SplitPatch(patch))
    text += "{" + change.old_path.value_or("None") + "," + change.new_path.value_or("None") + ":" +
            change.hunks + "}";
  return text;
}

TEST(PatchTest, TakesFilesApart) {
  EXPECT_EQ(
      ShownChanges("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
                   "diff --git a/y b/y\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ "
                   "b/y\n@@ 1\n+c\n"),
      "{x,x:@@ -1 +1 @@\n-a\n+b\n}{None,y:@@ 1\n+c\n}");
}

TEST(PatchTest, KnowsRenamesModesAndBinaries) {
  EXPECT_EQ(
      ShownChanges("abc\ndiff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n"),
      "{x,y:}");
  EXPECT_EQ(ShownChanges("diff --git a/s s b/s s\nold mode 100644\nnew mode 100755\n"),
            "{s s,s s:}");
  EXPECT_EQ(ShownChanges(
                "diff --git a/b b/b\nnew file mode 100644\nindex 0..1\nBinary files /dev/null and "
                "b/b differ\n"),
            "{b,b:Binary files /dev/null and b/b differ\n}");
}

TEST(PatchTest, UnquotesNames) {
  EXPECT_EQ(
      ShownChanges(
          "diff --git \"a/\\303\\274\" \"b/\\303\\274\"\n--- /dev/null\n+++ \"b/\\303\\274\"\nx"),
      "{None,\xC3\xBC:x}");
  EXPECT_EQ(ShownChanges("diff --git a/q b/q\n--- \"a/\\t\\\"\\\\\\q\"\n+++ b/with space\t\n"),
            "{\t\"\\\\q,with space:}");
}

TEST(PatchTest, LinesOfFilesAreNoHeaders) {
  EXPECT_EQ(ShownChanges("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ @@\n--- a/evil\n+++ b/evil\n"),
            "{x,x:@@ @@\n--- a/evil\n+++ b/evil\n}");
}

TEST(PatchTest, DamagedPatchesDoNoHarm) {
  EXPECT_EQ(ShownChanges(""), "");
  EXPECT_EQ(ShownChanges("nothing here"), "");
  EXPECT_EQ(ShownChanges("diff --git "), "{,:}");
  EXPECT_EQ(ShownChanges("diff --git \"a\n+++ \"\n"), "{\",\":}");
}

}  // namespace
}  // namespace viv::tools::git
