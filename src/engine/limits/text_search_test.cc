#include "engine/limits/text_search.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/limits/work.h"

namespace viv::engine {
namespace {

TEST(TextSearchTest, FindsAsStringsDo) {
  const std::string_view texts[] = {"", "a", "aa", "ab", "aab", "abab", "banana", "x\xc3\xa9y"};
  for (std::string_view text : texts) {
    for (std::string_view wanted : texts) {
      for (std::size_t from = 0; from <= text.size() + 1; ++from)
        EXPECT_EQ(FindText(text, wanted, from), text.find(wanted, from)) << text << " " << wanted;
    }
  }
}

TEST(TextSearchTest, TrimsCharactersOfAnyLength) {
  const CharacterSet set("\xc3\xa9x");
  EXPECT_EQ(TrimCharacters("x\xc3\xa9"
                           "ax\xc3\xa9",
                           set, TrimSide::kBoth),
            "a");
  EXPECT_EQ(TrimCharacters("xax", set, TrimSide::kLeft), "ax");
  EXPECT_EQ(TrimCharacters("xax", set, TrimSide::kRight), "xa");
  EXPECT_EQ(TrimCharacters("xx", set, TrimSide::kBoth), "");
}

// All of these took minutes or more with std::string_view::find and a loop over the set.
TEST(TextSearchTest, LongTextsAreSearchedInLinearTime) {
  const std::size_t size = 8 << 20;
  const std::string text(size, 'a');
  const std::string wanted = std::string(size / 2, 'a') + 'b';
  EXPECT_EQ(FindText(text, wanted), std::string_view::npos);
  std::string many;
  for (char32_t code = 0x800; code < 0xD800; ++code) {
    many += static_cast<char>(0xE0 | code >> 12);
    many += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    many += static_cast<char>(0x80 | (code & 0x3F));
  }
  const CharacterSet set(many + "a");
  EXPECT_EQ(TrimCharacters(text, set, TrimSide::kBoth), "");
}

TEST(TextSearchTest, APatternThatTakesTooLongIsStopped) {
  const std::string text(1 << 20, 'a');
  const std::string pattern = "%" + std::string(40'000, 'a') + "b";
  Work work({.bytes_max = 1'000'000});
  WorkScope scope(work);
  EXPECT_EQ(MatchWildcards(text, {.pattern = pattern}), std::nullopt);
}

TEST(TextSearchTest, GlobReadsSets) {
  auto globs = [](std::string_view text, std::string_view pattern) {
    return *MatchWildcards(text, {.pattern = pattern, .kind = WildcardPattern::Kind::kGlob});
  };
  EXPECT_TRUE(globs("b", "[abc]"));
  EXPECT_TRUE(globs("b", "[a-c]"));
  EXPECT_TRUE(globs("]", "[]]"));
  EXPECT_TRUE(globs("x", "[^a-c]"));
  EXPECT_TRUE(globs("-", "[a-]"));
  EXPECT_FALSE(globs("b", "[^a-c]"));
  EXPECT_FALSE(globs("b", "[abc"));
  EXPECT_FALSE(globs("B", "[a-c]"));
}

}  // namespace
}  // namespace viv::engine
