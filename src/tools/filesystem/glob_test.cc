#include "tools/filesystem/glob.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/filesystem/braces.h"

namespace viv::tools::filesystem {
namespace {

struct GlobCase {
  std::string_view pattern;
  std::vector<std::string_view> matched, others;
};

TEST(GlobTest, FollowsTheRulesOfMinimatch) {
  const std::vector<GlobCase> cases = {
      {"*.txt", {"a.txt", ".txt", ".hidden.txt"}, {"a/b.txt", "a.txt2"}},
      {"**/*.txt", {"a.txt", "a/b.txt", ".git/x/b.txt"}, {"a.md"}},
      {"a/**", {"a/b", "a/b/c"}, {"a", "b/a"}},
      {"a/**/b", {"a/b", "a/x/y/b"}, {"a/b/c"}},
      {"**", {"a", "a/b/.c"}, {}},
      {"a**", {"a", "abc"}, {"a/b"}},
      {"?", {"a", "é"}, {"ab", "😀"}},
      {"??", {"ab", "😀"}, {"a"}},
      {"[ab]c", {"ac", "bc"}, {"cc", "[ab]c"}},
      {"[!ab]", {"c", "!"}, {"a"}},
      {"[^a-c]", {"d"}, {"b"}},
      {"[]a]", {"]", "a"}, {"b"}},
      {"[a-]", {"a", "-"}, {"b"}},
      {"[z-a]", {}, {"z", "a", "b"}},
      {"[[:digit:][:upper:]]", {"1", "A"}, {"a"}},
      {"[ab", {"[ab"}, {"a"}},
      {"{a,b/c}.txt", {"a.txt", "b/c.txt"}, {"b.txt"}},
      {"x{1..3}", {"x1", "x3"}, {"x4"}},
      {"@(a|b)c", {"ac", "bc"}, {"c", "abc"}},
      {"+(ab|c)", {"ab", "abcab", "cc"}, {"", "a"}},
      {"*(a)b", {"b", "aab"}, {"cb"}},
      {"x?(a)", {"x", "xa"}, {"xaa"}},
      {"x!(a|b)", {"x", "xc", "xab"}, {"xa", "xb"}},
      {"x!(a)*", {"xb"}, {"xa", "xab"}},
      {"@(a", {"@(a"}, {"a"}},
      {"\\*", {"*"}, {"a"}},
      {"!*.txt", {"a.md"}, {"a.txt"}},
      {"!!a", {"a"}, {"b"}},
      {"#a", {}, {"#a", "a"}},
      {"", {}, {"", "a"}},
      {"a/../b", {"b"}, {"a"}},
      {"a//b", {"a/b"}, {"a"}},
      {"a/", {}, {"a"}},
  };
  for (const GlobCase& one : cases) {
    for (std::string_view path : one.matched)
      EXPECT_TRUE(Glob(one.pattern).Matches(path)) << one.pattern << " " << path;
    for (std::string_view path : one.others)
      EXPECT_FALSE(Glob(one.pattern).Matches(path)) << one.pattern << " " << path;
  }
}

TEST(GlobTest, HostilePatternsEnd) {
  const std::string name(255, 'a');
  EXPECT_FALSE(Glob("+(+(+(a|aa)|a*)|a?)b").Matches(name));
  EXPECT_FALSE(Glob("*a*a*a*a*a*a*a*a*a*a*a*a*a*b").Matches(name));
  EXPECT_FALSE(Glob(std::string(5000, '*')).Matches(name));
  std::string nested;
  for (int i = 0; i < 1000; ++i) nested += "{a,";
  (void)Glob(nested + std::string(1000, '}')).Matches(name);
  (void)Glob("{1..1000000}{1..1000000}").Matches(name);
  (void)Glob("\xff\xfe[\xff").Matches("\xff");
  EXPECT_TRUE(Glob("**/**/**/**/a").Matches("x/y/z/a"));
}

TEST(BracesTest, ExpandListsAndSequences) {
  using Patterns = std::vector<std::string>;
  EXPECT_EQ(ExpandBraces("a{b,c}d"), (Patterns{"abd", "acd"}));
  EXPECT_EQ(ExpandBraces("{a,{b,c}}"), (Patterns{"a", "b", "c"}));
  EXPECT_EQ(ExpandBraces("{,a}{1,2}"), (Patterns{"1", "2", "a1", "a2"}));
  EXPECT_EQ(ExpandBraces("{01..3}"), (Patterns{"01", "02", "03"}));
  EXPECT_EQ(ExpandBraces("{3..1}"), (Patterns{"3", "2", "1"}));
  EXPECT_EQ(ExpandBraces("{a..e..2}"), (Patterns{"a", "c", "e"}));
  EXPECT_EQ(ExpandBraces("{-1..1}"), (Patterns{"-1", "0", "1"}));
}

TEST(BracesTest, LeaveAloneWhatIsNoList) {
  using Patterns = std::vector<std::string>;
  for (std::string_view same : {"{a}", "{", "}{", "a{b", "${a,b}", "\\{a,b}", "{}", "{1..x}",
                                "{..}", "{9999999999999999999..1}"})
    EXPECT_EQ(ExpandBraces(same), Patterns{std::string(same)});
  EXPECT_EQ(ExpandBraces("{{a,b}}"), (Patterns{"{a}", "{b}"}));
  EXPECT_EQ(ExpandBraces("{1..5000}").size(), 1000u);
}

}  // namespace
}  // namespace viv::tools::filesystem
