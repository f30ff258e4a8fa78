#include "agent/dataplane/glob_pattern.h"

#include <gtest/gtest.h>

#include "agent/dataplane/glob_braces.h"

namespace viv::agent {
namespace {

bool Fits(std::string_view pattern, std::string_view path) {
  Result<GlobPattern> parsed = GlobPattern::Parse(pattern);
  EXPECT_TRUE(parsed) << pattern;
  return parsed && parsed->Matches(path);
}

TEST(GlobPatternTest, MatchesWithinOneSegment) {
  EXPECT_TRUE(Fits("*", "a.txt"));
  EXPECT_TRUE(Fits("*", ".hidden"));
  EXPECT_FALSE(Fits("*", "a/b"));
  EXPECT_TRUE(Fits("*.txt", "a.txt"));
  EXPECT_TRUE(Fits("*.txt", ".txt"));
  EXPECT_FALSE(Fits("*.txt", "a.txt~"));
  EXPECT_TRUE(Fits("a*b*c", "axxbyybzzc"));
  EXPECT_FALSE(Fits("a*b*c", "axxbyy"));
  EXPECT_TRUE(Fits("?", "x"));
  EXPECT_FALSE(Fits("?", "xy"));
  EXPECT_FALSE(Fits("?", ""));
  EXPECT_TRUE(Fits("dir/*.c", "dir/x.c"));
  EXPECT_FALSE(Fits("dir/*.c", "x.c"));
}

TEST(GlobPatternTest, MatchesClasses) {
  EXPECT_TRUE(Fits("[abc]", "b"));
  EXPECT_FALSE(Fits("[abc]", "d"));
  EXPECT_TRUE(Fits("[a-c0-9]", "7"));
  EXPECT_TRUE(Fits("[!a-c]", "d"));
  EXPECT_TRUE(Fits("[^a-c]", "d"));
  EXPECT_FALSE(Fits("[!a-c]", "b"));
  EXPECT_TRUE(Fits("[]a]", "]"));
  EXPECT_TRUE(Fits("[a-]", "-"));
  EXPECT_TRUE(Fits("[\\]]", "]"));
  EXPECT_TRUE(Fits("x[{,}]y", "x{y"));
}

TEST(GlobPatternTest, MatchesAnyDepth) {
  EXPECT_TRUE(Fits("**", "a"));
  EXPECT_TRUE(Fits("**", "a/b/c"));
  EXPECT_TRUE(Fits("**/*.py", "x.py"));
  EXPECT_TRUE(Fits("**/*.py", "a/b/x.py"));
  EXPECT_TRUE(Fits("a/**/z", "a/z"));
  EXPECT_TRUE(Fits("a/**/z", "a/b/c/z"));
  EXPECT_FALSE(Fits("a/**/z", "b/z"));
  EXPECT_TRUE(Fits("a/**", "a/b"));
  EXPECT_TRUE(Fits("**/b/**/d", "a/b/b/c/d"));
  EXPECT_TRUE(Fits("**/**/x", "x"));
  EXPECT_TRUE(Fits("a**b", "axb")) << "like one star";
  EXPECT_FALSE(Fits("a**b", "a/b"));
}

TEST(GlobPatternTest, MatchesAlternatives) {
  EXPECT_TRUE(Fits("*.{js,ts}", "a.ts"));
  EXPECT_TRUE(Fits("*.{js,ts}", "a.js"));
  EXPECT_FALSE(Fits("*.{js,ts}", "a.py"));
  EXPECT_TRUE(Fits("{src/*,test}/x", "src/y/x"));
  EXPECT_TRUE(Fits("{a,b{c,d}}", "bd"));
  EXPECT_TRUE(Fits("a{,b}", "a"));
  EXPECT_TRUE(Fits("\\{a,b\\}", "{a,b}"));
  EXPECT_TRUE(Fits("a}", "a}"));
}

TEST(GlobPatternTest, CountsCharactersAndNotBytes) {
  EXPECT_TRUE(Fits("?.txt", "ü.txt"));
  EXPECT_TRUE(Fits("[ä-ü]", "ö"));
  EXPECT_FALSE(Fits("?", "\xC3\xBC\xC3"));
  EXPECT_TRUE(Fits("?", "\xFF")) << "a byte that is no UTF-8";
  EXPECT_TRUE(Fits("größe", "größe"));
}

TEST(GlobPatternTest, PassesOverWhatSaysNothing) {
  EXPECT_TRUE(Fits("./a//b/", "a/b"));
  EXPECT_TRUE(Fits("\\*", "*"));
  EXPECT_FALSE(Fits("\\*", "x"));
}

TEST(GlobPatternTest, KnowsWhereNothingCanMatch) {
  GlobPattern pattern = *GlobPattern::Parse("src/*.c");
  GlobPattern::State start = pattern.Start();
  EXPECT_FALSE(pattern.Accepts(start));
  EXPECT_TRUE(pattern.Advance(start, "lib").empty());
  GlobPattern::State inside = pattern.Advance(start, "src");
  EXPECT_TRUE(pattern.Continues(inside));
  GlobPattern::State file = pattern.Advance(inside, "x.c");
  EXPECT_TRUE(pattern.Accepts(file));
  EXPECT_FALSE(pattern.Continues(file));
}

TEST(GlobPatternTest, EntersLinksOnlyWhereTheyAreNamed) {
  GlobPattern deep = *GlobPattern::Parse("**/x");
  EXPECT_FALSE(deep.Continues(deep.AdvanceThroughLink(deep.Start(), "link")));
  GlobPattern named = *GlobPattern::Parse("link/**");
  EXPECT_TRUE(named.Continues(named.AdvanceThroughLink(named.Start(), "link")));
}

TEST(GlobPatternTest, RefusesWhatIsNoPattern) {
  for (std::string_view bad :
       {std::string_view(""), std::string_view("/"), std::string_view("/abs"),
        std::string_view("a/../b"), std::string_view(".."), std::string_view("./"),
        std::string_view("["), std::string_view("a[b"), std::string_view("[]"),
        std::string_view("[!]"), std::string_view("[z-a]"), std::string_view("[a/b]"),
        std::string_view("{a"), std::string_view("{a,{b}"), std::string_view("a\\"),
        std::string_view("a\\/b"), std::string_view("{a,}"), std::string_view("a\0b", 3)}) {
    Result<GlobPattern> parsed = GlobPattern::Parse(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(parsed.error().message.empty());
  }
}

TEST(GlobPatternTest, RefusesWhatIsTooLarge) {
  EXPECT_FALSE(GlobPattern::Parse(std::string(5000, 'a')));
  std::string many;
  for (int i = 0; i < 20; ++i) many += "{a,b}";
  EXPECT_FALSE(GlobPattern::Parse(many)) << "a million alternatives";
  EXPECT_FALSE(ExpandBraces("{" + std::string(100, ',') + "}"));
  EXPECT_TRUE(ExpandBraces("{" + std::string(20, ',') + "}"));
}

TEST(GlobPatternTest, TakesNoTimeForManyStars) {
  std::string pattern;
  for (int i = 0; i < 60; ++i) pattern += "*a";
  EXPECT_FALSE(Fits(pattern + "b", std::string(255, 'a')));
}

}  // namespace
}  // namespace viv::agent
