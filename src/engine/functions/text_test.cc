#include <string>

#include "engine/functions/sql_for_test.h"

namespace viv::engine::functions {
namespace {

TEST(TextTest, FoldsForSearch) {
  EXPECT_EQ(Sql()("select fold('Crème Brûlée')"), "creme brulee");
}

TEST(TextTest, MakesSlugs) {
  Sql sql;
  EXPECT_EQ(sql("select slug('  Hello, World! Don''t  panic ')"), "hello-world-dont-panic");
  EXPECT_EQ(sql("select slug('Größe & Maß – 3')"), "grosse-mass-3");
  EXPECT_EQ(sql("select slug('東京 タワー')"), "東京-タワー");
  EXPECT_EQ(sql("select slug('…!')"), "");
}

TEST(TextTest, MakesTitles) {
  Sql sql;
  EXPECT_EQ(sql("select title_case('the QUICK brown-fox isn''t élan')"),
            "The Quick Brown-Fox Isn't Élan");
  EXPECT_EQ(sql("select title_case('')"), "");
}

TEST(TextTest, SplitsIntoAJsonArray) {
  Sql sql;
  EXPECT_EQ(sql("select split('a,b,,\"c\"', ',')"), R"(["a","b","","\"c\""])");
  EXPECT_EQ(sql("select split('a--b', '--')"), R"(["a","b"])");
  EXPECT_EQ(sql("select split('', ',')"), R"([""])");
  EXPECT_EQ(sql("select json_object('x', split('a', ','))"), R"({"x":["a"]})");
  EXPECT_EQ(sql("select split('a', '')"), "error: split: the separator is empty");
  EXPECT_EQ(sql("select split(hex(zeroblob(60000)), '0')"),
            "error: split: more than 100000 pieces");
}

TEST(TextTest, ShowsTheTextAroundAWord) {
  Sql sql;
  std::string text = "The quick brown fox jumps over the lazy dog and then it sleeps.";
  EXPECT_EQ(sql("select word_snippet(?1, 'LAZY', 24)", {text}), "…the lazy dog and then it…");
  EXPECT_EQ(sql("select word_snippet(?1, 'quick', 20)", {text}), "The quick brown fox…");
  EXPECT_EQ(sql("select word_snippet(?1, 'sleeps', 20)", {text}), "…and then it sleeps.");
  EXPECT_EQ(sql("select word_snippet(?1, 'cat', 9)", {text}), "The quick…");
  EXPECT_EQ(sql("select word_snippet('short  text' || char(10), 'x', 50)"), "short text");
  EXPECT_EQ(sql("select word_snippet('ein schöner Tag', 'SCHON', 50)"), "ein schöner Tag");
  EXPECT_EQ(sql("select word_snippet('', '', 5)"), "");
}

TEST(TextTest, RefusesWrongSnippetLengths) {
  Sql sql;
  EXPECT_EQ(sql("select word_snippet('a', 'a', 0)"),
            "error: word_snippet: the length must be between 1 and 100000");
  EXPECT_EQ(sql("select word_snippet('a', 'a', 'b')"),
            "error: word_snippet: argument 3 must be an integer");
}

}  // namespace
}  // namespace viv::engine::functions
