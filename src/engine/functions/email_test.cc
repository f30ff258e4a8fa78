#include "engine/functions/email.h"

#include <string>

#include "engine/functions/sql_for_test.h"

namespace viv::engine::functions {
namespace {

std::string List(const std::string& text) {
  return Sql()("select email_list(?1)", {text});
}

TEST(EmailTest, FindsNameAndAddress) {
  Sql sql;
  EXPECT_EQ(sql("select email_address('Ann Lee <a@b.c>')"), "a@b.c");
  EXPECT_EQ(sql("select email_name('Ann Lee <a@b.c>')"), "Ann Lee");
  EXPECT_EQ(sql("select email_address(' a@b.c ')"), "a@b.c");
  EXPECT_EQ(sql("select email_name('a@b.c')"), "NULL");
  EXPECT_EQ(sql("select email_name('a@b.c (Ann Lee)')"), "Ann Lee");
  EXPECT_EQ(sql("select email_name('\"Lee, \\\"Ann\\\"\" <a@b.c>')"), "Lee, \"Ann\"");
}

TEST(EmailTest, ListsSeveral) {
  EXPECT_EQ(
      List(R"("Doe, Joe" <j@x.y>, a@b.c; Ann <ann@b.c>,)"),
      R"([{"name":"Doe, Joe","address":"j@x.y"},{"name":"","address":"a@b.c"},{"name":"Ann","address":"ann@b.c"}])");
  EXPECT_EQ(List("Team: a@b.c, d@e.f;"),
            R"([{"name":"","address":"a@b.c"},{"name":"","address":"d@e.f"}])");
}

TEST(EmailTest, PassesOverWhatHasNoAddress) {
  Sql sql;
  for (const char* text :
       {"", "Ann", "@b.c", "a@", "a b@c.d", "<>", "<a@b", "\"a", "(", ",,;", "a@b c"}) {
    std::string list = List(text);
    EXPECT_TRUE(list == "[]" || list == R"([{"name":"","address":"a@b"}])") << text << list;
  }
  EXPECT_EQ(sql("select email_address('nobody')"), "NULL");
  EXPECT_EQ(sql("select email_name('nobody')"), "NULL");
  EXPECT_EQ(List("nobody, a@b.c"), R"([{"name":"","address":"a@b.c"}])");
}

}  // namespace
}  // namespace viv::engine::functions
