#include "tools/pdf_tools/search_sessions.h"

#include <gmock/gmock.h>

#include "tools/kit/unicode_pattern.h"

namespace viv::tools::pdf {
namespace {

using ::testing::ElementsAre;

PdfSearch SearchFor(std::string_view pattern, std::vector<std::string> pages) {
  PdfSearch search;
  search.pages = std::move(pages);
  FindMatches(**CompilePattern(pattern, LetterCase::kIgnored), search);
  return search;
}

std::vector<std::string> MatchTexts(const PdfSearch& search) {
  std::vector<std::string> texts;
  for (const PdfMatch& match : search.matches)
    texts.push_back(std::to_string(match.page) + ":" +
                    search.pages[static_cast<std::size_t>(match.page) - 1].substr(
                        match.begin, match.end - match.begin));
  return texts;
}

TEST(SearchSessionsTest, FindsAllMatchesOfAllPages) {
  EXPECT_THAT(MatchTexts(SearchFor("a.", {"abAc", "", "xad"})),
              ElementsAre("1:ab", "1:Ac", "3:ad"));
}

TEST(SearchSessionsTest, EmptyMatchesGoOnByACharacter) {
  EXPECT_EQ(SearchFor("x*", {"äö"}).matches.size(), 3u);
}

TEST(SearchSessionsTest, ContextIsAHundredCharacters) {
  std::string text;
  for (int i = 0; i < 150; ++i) text += "ä";
  const std::string shown = RenderMatches(SearchFor("needle", {text + "needle" + text}));
  EXPECT_EQ(shown.find("  Context: ...ä"), shown.find("  Context: ..."));
  EXPECT_EQ(shown.size(),
            std::string("Match 1:\n  Page: 1\n  Text: \"needle\"\n  Context: ...").size() + 400 +
                std::string("[needle]...\n\n").size());
}

TEST(SearchSessionsTest, TooManyMatchesAreCut) {
  const PdfSearch search = SearchFor("a", {std::string(300'000, 'a')});
  EXPECT_EQ(search.matches.size(), 100'000u);
  EXPECT_FALSE(search.all_kept);
}

TEST(SearchSessionsTest, SearchesEndAfterHalfAnHour) {
  std::int64_t now = 0;
  SearchSessions sessions([&] { return now; });
  const std::string id = sessions.Add(SearchFor("a", {"a"}));
  now += 29 * 60 * 1000;
  EXPECT_TRUE(sessions.Use(id, [](PdfSearch&) {}));
  now += 29 * 60 * 1000;
  EXPECT_TRUE(sessions.Use(id, [](PdfSearch&) {}));
  now += 31 * 60 * 1000;
  EXPECT_FALSE(sessions.Use(id, [](PdfSearch&) {}));
}

TEST(SearchSessionsTest, TheOldestGoWhenThereAreTooMany) {
  SearchSessions sessions;
  const std::string first = sessions.Add(SearchFor("a", {"a"}));
  const std::string second = sessions.Add(SearchFor("a", {"a"}));
  for (int i = 0; i < 49; ++i) {
    EXPECT_TRUE(sessions.Use(first, [](PdfSearch&) {}));
    sessions.Add(SearchFor("a", {"a"}));
  }
  EXPECT_TRUE(sessions.Use(first, [](PdfSearch&) {}));
  EXPECT_FALSE(sessions.Use(second, [](PdfSearch&) {}));
}

}  // namespace
}  // namespace viv::tools::pdf
