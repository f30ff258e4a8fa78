#include "tools/kit/unicode_pattern.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

namespace viv::tools {
namespace {

bool Finds(std::string_view pattern,
           std::string_view text,
           LetterCase letter_case = LetterCase::kMatters) {
  auto compiled = CompilePattern(pattern, letter_case);
  return compiled && re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), **compiled);
}

TEST(UnicodePatternTest, ClassesMeanAllOfUnicode) {
  EXPECT_TRUE(Finds(R"(^\w+$)", "größe_2"));
  EXPECT_TRUE(Finds(R"(^[\w-]+$)", "é-è"));
  EXPECT_TRUE(Finds(R"(^\d$)", "٣"));
  EXPECT_TRUE(Finds(R"(a\sb)",
                    "a\xc2\xa0"
                    "b"));
  EXPECT_FALSE(Finds(R"(\W)", "größe"));
}

TEST(UnicodePatternTest, LinesHaveStartsAndEnds) {
  EXPECT_TRUE(Finds("^two$", "one\ntwo\nthree"));
  EXPECT_FALSE(Finds("one.two", "one\ntwo"));
}

TEST(UnicodePatternTest, IgnoresCaseWhenAsked) {
  EXPECT_TRUE(Finds("ÄB", "äb", LetterCase::kIgnored));
  EXPECT_FALSE(Finds("ÄB", "äb"));
}

TEST(UnicodePatternTest, TakesOtherSpellings) {
  EXPECT_TRUE(Finds(R"((?<year>\d{4})\Z)", "in 1999"));
  EXPECT_TRUE(Finds(R"(\u0041)", "A"));
  EXPECT_TRUE(Finds(R"([]x]+y)", "]xy"));
  EXPECT_TRUE(Finds(R"([^]]b)", "ab"));
}

TEST(UnicodePatternTest, RefusesWhatCannotBeSearchedInLinearTime) {
  for (const char* pattern : {"(?=a)b", R"((a)\1)", "a(", "[a", "*", R"(a\)"})
    EXPECT_FALSE(CompilePattern(pattern, LetterCase::kMatters)) << pattern;
  EXPECT_FALSE(CompilePattern(std::string(100'000, 'a'), LetterCase::kMatters));
  EXPECT_FALSE(CompilePattern("((a{1,100}){1,100}){1,100}", LetterCase::kMatters));
}

}  // namespace
}  // namespace viv::tools
