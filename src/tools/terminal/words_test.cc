#include "tools/terminal/words.h"

#include <gtest/gtest.h>

namespace viv::tools::terminal {
namespace {

using Words = std::vector<std::string>;

TEST(WordsTest, SplitsAsAShellQuotes) {
  const std::pair<const char*, Words> cases[] = {
      {"", {}},
      {" \t\n ", {}},
      {"ls -l", {"ls", "-l"}},
      {"cat 'a b' \"c d\"", {"cat", "a b", "c d"}},
      {"a\\ b", {"a b"}},
      {"x'y'\"z\"", {"xyz"}},
      {"''", {""}},
      {"\"a\\\"b\\\\c\\d\"", {"a\"b\\c\\d"}},
      {"'a\\b'", {"a\\b"}},
      {"a # b", {"a", "#", "b"}},
      {"$HOME `x` $(y)", {"$HOME", "`x`", "$(y)"}},
      {"\xC3\xA9", {"\xC3\xA9"}},
  };
  for (const auto& [line, words] : cases) EXPECT_EQ(*SplitWords(line), words) << line;
}

TEST(WordsTest, RefusesWhatIsNotClosed) {
  EXPECT_EQ(SplitWords("a 'b").error().message, "No closing quotation");
  EXPECT_EQ(SplitWords("a \"b").error().message, "No closing quotation");
  EXPECT_EQ(SplitWords("a\\").error().message, "No escaped character");
  EXPECT_EQ(SplitWords("\"a\\").error().message, "No escaped character");
}

std::string Shown(std::string_view line) {
  std::string text;
  for (const Part& part : SplitAtOperators(line))
    text += (part.is_operator ? "{" : "[") + part.text + (part.is_operator ? "}" : "]");
  return text;
}

TEST(WordsTest, SplitsAtEveryOperator) {
  EXPECT_EQ(Shown("ls -l | wc&&pwd;  echo a >> b"), "[ls -l]{|}[wc]{&&}[pwd]{;}[echo a]{>}{>}[b]");
  EXPECT_EQ(Shown("a || b < c << d"), "[a]{||}[b]{<}[c]{<}{<}[d]");
  EXPECT_EQ(Shown("echo 'a;b'"), "[echo 'a]{;}[b']");
  EXPECT_EQ(Shown(";;"), "{;}{;}");
  EXPECT_EQ(Shown(""), "");
}

TEST(WordsTest, NamesTheOperatorThatIsLookedForFirst) {
  EXPECT_EQ(FirstOperator("a || b"), "||");
  EXPECT_EQ(FirstOperator("a >> b"), ">");
  EXPECT_EQ(FirstOperator("a; b && c"), "&&");
  EXPECT_EQ(FirstOperator("a & b"), "");
}

}  // namespace
}  // namespace viv::tools::terminal
