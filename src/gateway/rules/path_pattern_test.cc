#include "gateway/rules/path_pattern.h"

#include <gtest/gtest.h>

namespace viv::gateway {
namespace {

bool PathFits(std::string_view pattern, std::string_view path) {
  return RequestPath(path).Matches(pattern);
}

TEST(PathPatternTest, IsForWholePaths) {
  EXPECT_TRUE(PathFits("/v1/models", "/v1/models"));
  EXPECT_FALSE(PathFits("/v1/models", "/v1/models/x"));
  EXPECT_FALSE(PathFits("/v1/models", "/v1/model"));
  EXPECT_FALSE(PathFits("/v1", "/V1"));
  EXPECT_FALSE(PathFits("v1", "/v1"));
}

TEST(PathPatternTest, AStarIsAnyRunOfCharactersWithSlashes) {
  EXPECT_TRUE(PathFits("*", "/"));
  EXPECT_TRUE(PathFits("/*", "/"));
  EXPECT_TRUE(PathFits("/repos/*/issues", "/repos/a/b/issues"));
  EXPECT_TRUE(PathFits("/repos/*/issues*", "/repos/a/issues/1"));
  EXPECT_TRUE(PathFits("/*/a/*/b", "/x/a/a/b/b"));
  EXPECT_FALSE(PathFits("/repos/*/issues", "/repos/issues"));
  EXPECT_FALSE(PathFits("/a*a", "/a"));
  EXPECT_TRUE(PathFits("/**", "/anything"));
}

TEST(PathPatternTest, AQuestionMarkIsNoWildcard) {
  EXPECT_FALSE(PathFits("/v?", "/v1"));
}

TEST(PathPatternTest, EscapesAreWhatTheyStandFor) {
  EXPECT_TRUE(PathFits("/a b", "/a%20b"));
  EXPECT_TRUE(PathFits("/a%20b", "/a%20b"));
  EXPECT_TRUE(PathFits("/v1/models", "/v1/%6dodels"));
  EXPECT_TRUE(PathFits("/caf%C3%A9", "/caf\xc3\xa9"));
  EXPECT_TRUE(PathFits("/%7Euser", "/~user"));
}

TEST(PathPatternTest, NoPatternIsForAPathThatMayLeadElsewhere) {
  for (const char* path : {"/public/../admin",
                           "/public/%2e%2e/admin",
                           "/public/%2E./admin",
                           "/public/./x",
                           "/public/..",
                           "/public/..;/admin",
                           "/public/..%3b/admin",
                           "/public/%252e%252e/admin",
                           "/public/%25252e%25252e/admin",
                           "/public/..%2fadmin",
                           "/public/..%5cadmin",
                           "/public\\..\\admin",
                           "/public/%2e%2e%2fadmin",
                           "/public/..%252fadmin",
                           "/public/%c0%ae%c0%ae/admin",
                           "/public/x%3f/../../admin",
                           "/public/..%3fx",
                           "/public/x%23/../../admin",
                           "/public/%00",
                           "/public/x%0d%0a",
                           "/public/%",
                           "/public/%2",
                           "/public/%zz",
                           "/public/%u002e",
                           "/public/\x01",
                           "public/x",
                           "",
                           "*",
                           "/public/%2525252525252e"}) {
    EXPECT_FALSE(PathFits("/public/*", path)) << path;
    EXPECT_FALSE(PathFits("*", path)) << path;
  }
}

TEST(PathPatternTest, IsForAPathOnlyInEveryReadingOfIt) {
  // An origin that decodes first reads these as /public/x; another one does not.
  EXPECT_FALSE(PathFits("/public/*", "/public%2fx"));
  EXPECT_FALSE(PathFits("/public/*", "/public%5cx"));
  EXPECT_FALSE(PathFits("/public/*", "//public/x"));
  EXPECT_FALSE(PathFits("/public/*", "/public;/x"));
  EXPECT_FALSE(PathFits("/public/*", "/public%3f/x"));
  // These are the opposite.
  EXPECT_FALSE(PathFits("*public", "/admin;public"));
  EXPECT_FALSE(PathFits("*/public", "/admin%3f/public"));
  EXPECT_FALSE(PathFits("*/public", "/admin%23/public"));
  EXPECT_FALSE(PathFits("/a//b", "/a/b"));
}

TEST(PathPatternTest, AnEncodedSlashMayStandWhereAStarDoes) {
  EXPECT_TRUE(PathFits("/api/v4/*", "/api/v4/projects/group%2Fproject"));
  EXPECT_TRUE(
      PathFits("/api/v4/projects/group%2Fproject/*", "/api/v4/projects/group%2fproject/issues"));
  EXPECT_TRUE(PathFits("/join/*", "/join/%23room:host"));
  EXPECT_TRUE(PathFits("/a/*", "/a/b//c"));
  EXPECT_TRUE(PathFits("/a/*", "/a/b;v=1/c"));
}

TEST(PathPatternTest, AnEncodedStarIsNoWildcard) {
  EXPECT_TRUE(PathFits("/a%2Ab", "/a%2ab"));
  EXPECT_FALSE(PathFits("/a%2Ab", "/axb"));
}

TEST(PathPatternTest, ABrokenPatternIsForNothing) {
  for (const char* pattern : {"", "/%", "/%zz", "/a/../b", "/%00", "/a?b", "/a#b"})
    for (const char* path : {"/", "/a", "/a/b", "/b", "/%25"})
      EXPECT_FALSE(PathFits(pattern, path)) << pattern << " " << path;
}

TEST(PathPatternTest, MatchesManyStarsInOnePass) {
  std::string pattern, text(100'000, 'a');
  for (int i = 0; i < 1000; ++i) pattern += "*aaaaaaaaaa";
  EXPECT_FALSE(GlobMatches(pattern + "*b", text));
  EXPECT_TRUE(GlobMatches(pattern + "*", text));
}

TEST(PathPatternTest, GlobsOfNothing) {
  EXPECT_TRUE(GlobMatches("", ""));
  EXPECT_TRUE(GlobMatches("**", {}));
  EXPECT_FALSE(GlobMatches("*a*", {}));
  EXPECT_FALSE(GlobMatches("", "a"));
}

}  // namespace
}  // namespace viv::gateway
