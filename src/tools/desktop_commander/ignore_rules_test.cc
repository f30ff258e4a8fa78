#include "tools/desktop_commander/ignore_rules.h"

#include <gtest/gtest.h>

namespace viv::tools::commander {
namespace {

bool Fits(std::string_view glob, std::string_view path, bool is_folder = false) {
  auto rule = GlobRule::Parse(glob);
  return rule && rule->Fits(path, is_folder);
}

TEST(IgnoreRulesTest, GlobsFitAsInGit) {
  EXPECT_TRUE(Fits("*.js", "a/b/c.js"));
  EXPECT_FALSE(Fits("*.js", "a/b/c.jsx"));
  EXPECT_TRUE(Fits("/a/*.js", "a/c.js"));
  EXPECT_FALSE(Fits("/a/*.js", "a/b/c.js"));
  EXPECT_TRUE(Fits("a/**/c.js", "a/c.js"));
  EXPECT_TRUE(Fits("a/**/c.js", "a/x/y/c.js"));
  EXPECT_TRUE(Fits("**/x", "x"));
  EXPECT_TRUE(Fits("a/**", "a/b/c"));
  EXPECT_TRUE(Fits("build/", "x/build", true));
  EXPECT_FALSE(Fits("build/", "x/build"));
  EXPECT_TRUE(Fits("?[a-c].t", "xb.t"));
  EXPECT_FALSE(Fits("[!a]", "a"));
  EXPECT_TRUE(Fits("*.{cc,h}", "x.h"));
  EXPECT_TRUE(Fits("a\\*", "a*"));
  EXPECT_FALSE(Fits("a\\*", "ab"));
  EXPECT_TRUE(Fits("a.b", "a.b"));
  EXPECT_FALSE(Fits("a.b", "axb"));
}

TEST(IgnoreRulesTest, CommentsAndBrokenGlobsAreNoRules) {
  for (const char* line : {"", "# x", "/", "!", "   "}) EXPECT_FALSE(GlobRule::Parse(line)) << line;
  EXPECT_FALSE(GlobRule::Parse(std::string(5000, 'a')));
  EXPECT_TRUE(Fits("[a", "[a"));
  EXPECT_TRUE(Fits("{a,b", "a"));
  EXPECT_FALSE(Fits("[]", "x"));
  EXPECT_FALSE(Fits("[z-a]", "b"));
}

TEST(IgnoreRulesTest, TheLastRuleThatFitsDecides) {
  RuleList rules;
  rules.Add("*.log\n!keep.log\r\n# note\n");
  EXPECT_EQ(rules.Match("a/b.log", false), Verdict::kIgnored);
  EXPECT_EQ(rules.Match("a/keep.log", false), Verdict::kKept);
  EXPECT_EQ(rules.Match("a/b.txt", false), Verdict::kNone);
}

}  // namespace
}  // namespace viv::tools::commander
