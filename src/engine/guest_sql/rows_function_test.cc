#include "engine/guest_sql/rows_function.h"

#include "engine/guest_sql/guest_sql_for_test.h"

namespace viv::engine::guest_sql {
namespace {

class RowsFunctionTest : public GuestTest {
 protected:
  RowsFunctionTest() { EXPECT_TRUE(RegisterRowsFunction(world_.get())); }

  std::string Read(const std::string& expression) {
    auto row = world_.Prepare("SELECT " + expression);
    EXPECT_TRUE(row);
    auto found = row->Step();
    return found ? std::string(row->Text(0)) : found.error().message;
  }
};

TEST_F(RowsFunctionTest, GivesTypedRowsInOrder) {
  Must("CREATE TABLE t (\"it's\" VARCHAR, b BOOLEAN, n NUMBER(10,2), v VARIANT)");
  Must("INSERT INTO t SELECT 'O''Neil', TRUE, 2, PARSE_JSON('{\"a\":[1]}')");
  Must("INSERT INTO t VALUES ('', NULL, 1.5, NULL)");
  EXPECT_EQ(
      Read("guest_rows(physical) FROM guest_table WHERE name = 'T'"),
      R"([{"it's":"O'Neil","B":true,"N":2,"V":{"a":[1]}},{"it's":"","B":null,"N":1.5E0,"V":null}])");
}

TEST_F(RowsFunctionTest, ReadsNothingButGuestTables) {
  EXPECT_NE(Read("guest_rows('secret')").find("there is no guest table 'secret'"),
            std::string::npos);
  EXPECT_EQ(Read("guest_rows(NULL) IS NULL"), "1");
  EXPECT_EQ(Read("json_array_length(guest_rows(physical)) FROM guest_table WHERE name = 'ORDERS'"),
            "4");
}

TEST_F(RowsFunctionTest, IsNotForGuests) {
  EXPECT_EQ(Fails("SELECT guest_rows('secret')"),
            "002140 (42601): SQL compilation error:\nUnknown function GUEST_ROWS");
}

}  // namespace
}  // namespace viv::engine::guest_sql
