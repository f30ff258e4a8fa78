#include "tools/filesystem/js_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace viv::tools::filesystem {
namespace {

TEST(JsTextTest, CountsInUtf16Units) {
  EXPECT_EQ(Utf16Length("aé日😀"), 5u);
  EXPECT_EQ(ToUtf16("aé日😀"), u"aé日😀");
}

TEST(JsTextTest, TrimsWhatJavaScriptCallsWhiteSpace) {
  EXPECT_EQ(TrimBoth(" \t\xC2\xA0x y\xE2\x80\x89\xEF\xBB\xBF\r"), "x y");
  EXPECT_EQ(TrimBoth("\xE2\x80\x8Bx"), "\xE2\x80\x8Bx");  // a zero-width space is none
  EXPECT_EQ(TrimBoth(" \n "), "");
  EXPECT_EQ(TrimStart("  x "), "x ");
  EXPECT_EQ(IndentLength("\t\xC2\xA0 x"), 3u);
  // Broken bytes are no white space and are not read beyond.
  EXPECT_EQ(TrimBoth("\xE2\x80"), "\xE2\x80");
  EXPECT_EQ(TrimBoth("\x80\x80"), "\x80\x80");
}

TEST(JsTextTest, DropsCarriageReturnsOnlyBeforeLineFeeds) {
  EXPECT_EQ(WithoutCarriageReturns("a\r\nb\rc\r\r\n\r"), "a\nb\rc\r\n\r");
}

TEST(JsTextTest, SortsAsAReaderWould) {
  const std::vector<std::string> expected = {
      "_x",  "-x",    ".x",    "1",  "10",     "9",      "a",      "A",  "ä", "a b", "a_b",
      "a-b", "a.txt", "A.txt", "aa", "Aa",     "ab",     "aB",     "Ab", "b", "B",   "e",
      "E",   "é",     "É",     "f",  "resume", "Resume", "résumé", "z",  "я", "日本"};
  std::vector<std::string> names(expected.rbegin(), expected.rend());
  std::stable_sort(names.begin(), names.end(),
                   [](const std::string& a, const std::string& b) { return SortsBefore(a, b); });
  EXPECT_EQ(names, expected);
  EXPECT_FALSE(SortsBefore("same", "same"));
}

TEST(JsTextTest, WritesSizesWithTwoDigits) {
  EXPECT_EQ(FormatSize(0), "0 B");
  EXPECT_EQ(FormatSize(1023), "1023 B");
  EXPECT_EQ(FormatSize(1024), "1.00 KB");
  EXPECT_EQ(FormatSize(1152), "1.13 KB");
  EXPECT_EQ(FormatSize(1536), "1.50 KB");
  EXPECT_EQ(FormatSize(1048575), "1024.00 KB");
  EXPECT_EQ(FormatSize(3ull << 30), "3.00 GB");
  EXPECT_EQ(FormatSize(5000ull << 40), "5000.00 TB");
}

TEST(JsTextTest, WritesDatesInUtc) {
  statx_timestamp moment{};
  moment.tv_sec = 1700000000;
  EXPECT_EQ(FormatDate(moment), "Tue Nov 14 2023 22:13:20 GMT+0000 (Coordinated Universal Time)");
}

}  // namespace
}  // namespace viv::tools::filesystem
