#include "engine/functions/code_points.h"

#include <gtest/gtest.h>

#include <string>

namespace viv::engine::functions {
namespace {

TEST(LettersTest, GoThereAndBack) {
  for (char32_t code_point : {U'a', U'é', U'€', U'😀', U'\U0010ffff'}) {
    std::string text;
    AppendCodePoint(text, code_point);
    std::size_t at = 0;
    EXPECT_EQ(NextCodePoint(text, at), code_point);
    EXPECT_EQ(at, text.size());
  }
}

TEST(LettersTest, BrokenBytesAreOneReplacementEach) {
  for (std::string text :
       {"\xff", "\x80", "\xc0\x80", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3("}) {
    std::size_t at = 0;
    EXPECT_EQ(NextCodePoint(text, at), U'\ufffd');
    EXPECT_EQ(at, 1U);
  }
}

TEST(LettersTest, ImpossibleCodePointsBecomeTheReplacement) {
  std::string text;
  AppendCodePoint(text, 0xd800);
  AppendCodePoint(text, 0x110000);
  EXPECT_EQ(text, "\ufffd\ufffd");
}

TEST(LettersTest, HaveCaseInLatinGreekAndCyrillic) {
  const char32_t pairs[][2] = {{U'A', U'a'}, {U'É', U'é'}, {U'Ÿ', U'ÿ'}, {U'Ő', U'ő'}, {U'Ž', U'ž'},
                               {U'Ω', U'ω'}, {U'Ж', U'ж'}, {U'Ё', U'ё'}, {U'Ế', U'ế'}};
  for (const auto& pair : pairs) {
    EXPECT_EQ(LowerCodePoint(pair[0]), pair[1]);
    EXPECT_EQ(UpperCodePoint(pair[1]), pair[0]);
    EXPECT_EQ(LowerCodePoint(pair[1]), pair[1]);
    EXPECT_EQ(UpperCodePoint(pair[0]), pair[0]);
  }
  for (char32_t code_point : {U'1', U'×', U'÷', U'漢', U'ß'}) {
    EXPECT_EQ(LowerCodePoint(code_point), code_point);
    EXPECT_EQ(UpperCodePoint(code_point), code_point);
  }
}

TEST(LettersTest, FoldToPlainSmallLetters) {
  EXPECT_EQ(FoldText("Ångström Straße ŁÓDŹ Ærø"), "angstrom strasse lodz aero");
  EXPECT_EQ(FoldText("Tiếng Việt"), "tieng viet");
  EXPECT_EQ(FoldText("e\u0301"), "e");
  EXPECT_EQ(FoldText("МОСКВА 東京 3×4"), "москва 東京 3×4");
  EXPECT_EQ(FoldText("\xff"), "\ufffd");
}

}  // namespace
}  // namespace viv::engine::functions
