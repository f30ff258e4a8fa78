#include "tools/terminal/output.h"

#include <gtest/gtest.h>

namespace viv::tools::terminal {
namespace {

TEST(OutputTest, SaysWhereBinaryBegins) {
  const auto why = [](std::string_view bytes) {
    return DecodeOutput(std::string(bytes), Completeness::kWhole).error().message;
  };
  EXPECT_EQ(why("\xff"), "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte");
  EXPECT_EQ(why("ab\xc3x"),
            "'utf-8' codec can't decode byte 0xc3 in position 2: invalid continuation byte");
  EXPECT_EQ(why("\xe2\x82x"),
            "'utf-8' codec can't decode bytes in position 0-1: invalid continuation byte");
  EXPECT_EQ(why("\xe2\x82"),
            "'utf-8' codec can't decode bytes in position 0-1: unexpected end of data");
  EXPECT_EQ(why("\xed\xa0\x80"),
            "'utf-8' codec can't decode byte 0xed in position 0: invalid continuation byte");
}

TEST(OutputTest, ACharacterThatWasCutIsNotBinary) {
  EXPECT_EQ(*DecodeOutput("ab\xe2\x82", Completeness::kCut), "ab");
  EXPECT_FALSE(DecodeOutput("\xff some more", Completeness::kCut));
}

TEST(OutputTest, LineEndsBecomePlain) {
  EXPECT_EQ(*DecodeOutput("a\r\nb\rc\n", Completeness::kWhole), "a\nb\nc\n");
}

TEST(OutputTest, CutsByCharacters) {
  EXPECT_EQ(CutOutput("\xC3\xA9\xC3\xA9\xC3\xA9", 2, Completeness::kWhole),
            "\xC3\xA9\xC3\xA9...[output truncated]");
  EXPECT_EQ(CutOutput("ab", 2, Completeness::kWhole), "ab");
  EXPECT_EQ(CutOutput("ab", 0, Completeness::kWhole), "ab");
  EXPECT_EQ(CutOutput("ab", 0, Completeness::kCut), "ab...[output truncated]");
}

}  // namespace
}  // namespace viv::tools::terminal
