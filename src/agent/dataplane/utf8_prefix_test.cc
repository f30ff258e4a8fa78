#include "agent/dataplane/utf8_prefix.h"

#include <gtest/gtest.h>

namespace viv::agent {
namespace {

Utf8Prefix CutMore(std::string_view bytes) {
  return TakeUtf8Prefix(bytes, MoreBytes::kMayFollow);
}

TEST(Utf8PrefixTest, TakesWholeText) {
  EXPECT_EQ(CutMore("a€😀").text, "a€😀");
  EXPECT_EQ(CutMore("a€😀").bytes, 8u);
  EXPECT_EQ(CutMore("").bytes, 0u);
}

TEST(Utf8PrefixTest, LeavesTheBeginningOfACharacter) {
  for (std::string_view tail : {"\xE2", "\xE2\x82", "\xF0\x9F", "\xF0\x9F\x98", "\xC3", "\xE0",
                                "\xF0", "\xED", "\xF4", "\xED\x9F", "\xF4\x8F\xBF"}) {
    Utf8Prefix cut = CutMore("ab" + std::string(tail));
    EXPECT_EQ(cut.text, "ab");
    EXPECT_EQ(cut.bytes, 2u);
  }
}

TEST(Utf8PrefixTest, ReplacesWhatIsNoCharacterByteByByte) {
  EXPECT_EQ(CutMore("\xFF\xFE"
                    "a")
                .text,
            "\uFFFD\uFFFDa");
  EXPECT_EQ(CutMore("\xFF\xFE"
                    "a")
                .bytes,
            3u);
  EXPECT_EQ(CutMore("\xE2\x82x").text, "\uFFFD\uFFFDx");
  EXPECT_EQ(CutMore("\x80\x80").text, "\uFFFD\uFFFD");
}

TEST(Utf8PrefixTest, DoesNotWaitForWhatCanBecomeNoCharacter) {
  for (std::string_view bytes : {"\xE0\x80", "\xED\xA0", "\xF0\x80", "\xF4\x90", "\xC0", "\xF5"}) {
    EXPECT_EQ(CutMore(bytes).bytes, bytes.size());
  }
}

TEST(Utf8PrefixTest, AtTheEndNothingIsLeft) {
  Utf8Prefix cut = TakeUtf8Prefix("ab\xE2\x82", MoreBytes::kNone);
  EXPECT_EQ(cut.text, "ab\uFFFD\uFFFD");
  EXPECT_EQ(cut.bytes, 4u);
}

}  // namespace
}  // namespace viv::agent
