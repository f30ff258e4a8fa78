#include "tools/filesystem/text_edit.h"

#include <gtest/gtest.h>

namespace viv::tools::filesystem {
namespace {

std::string Edited(std::string content, std::string_view old_text, std::string_view new_text) {
  return ReplaceText(content, old_text, new_text) ? content : "not found";
}

TEST(TextEditTest, ReplacesTheFirstExactPlace) {
  EXPECT_EQ(Edited("a b a", "a", "$&"), "$& b a");
  EXPECT_EQ(Edited("abc", "", "x"), "xabc");
  EXPECT_EQ(Edited("abc", "b", ""), "ac");
}

TEST(TextEditTest, FindsLinesWhateverTheirWhiteSpaceIs) {
  EXPECT_EQ(
      Edited("x\n    if (a) {\n      b();\n    }\ny", "if (a) {\n  b();\n}", "if (c) {\n  d();\n}"),
      "x\n    if (c) {\n    d();\n}\ny");
  EXPECT_EQ(Edited("\tone  \n\ttwo", "one\n  two", "1\n     2\n3"), "\t1\n\t   2\n3");
}

TEST(TextEditTest, ChangesNothingWhenTheTextStandsNowhere) {
  std::string content = "one\ntwo";
  EXPECT_FALSE(ReplaceText(content, "three", "x"));
  EXPECT_FALSE(ReplaceText(content, "one\ntwo\nthree", "x"));
  EXPECT_FALSE(ReplaceText(content, "one \n\n two", "x"));
  EXPECT_EQ(content, "one\ntwo");
}

TEST(TextEditTest, ManyLikeLinesTakeNoLonger) {
  std::string content, wanted;
  for (int i = 0; i < 200000; ++i) content += " \n";
  for (int i = 0; i < 100000; ++i) wanted += "\n";
  EXPECT_FALSE(ReplaceText(content, wanted + "x", "y"));
}

}  // namespace
}  // namespace viv::tools::filesystem
