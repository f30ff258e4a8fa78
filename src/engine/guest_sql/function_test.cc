#include "engine/guest_sql/guest_sql_for_test.h"

namespace viv::engine::guest_sql {
namespace {

struct FunctionCase {
  const char* expression;
  const char* value;
};

class FunctionTest : public GuestTest {
 protected:
  void Expect(std::initializer_list<FunctionCase> cases) {
    for (const FunctionCase& c : cases) EXPECT_EQ(Value(c.expression), c.value) << c.expression;
  }
};

TEST_F(FunctionTest, Conditions) {
  Expect({{"iff(1 > 2, 'a', 'b')", "\"b\""},
          {"nvl(NULL, 3)", "3"},
          {"nvl2(NULL, 1, 2)", "2"},
          {"zeroifnull(NULL)", "0"},
          {"decode(NULL, 1, 'one', NULL, 'none')", "\"none\""},
          {"decode(7, 1, 'one', 'other')", "\"other\""},
          {"coalesce(NULL, NULL, 'x')", "\"x\""},
          {"greatest(1, 3, 2)", "3"},
          {"case 2 when 1 then 'a' when 2 then 'b' end", "\"b\""},
          {"case when false then 1 end", "null"},
          {"nullif(1, 1)", "null"},
          {"equal_null(NULL, NULL)", "true"}});
}

TEST_F(FunctionTest, Texts) {
  Expect({{"split_part('a-b-c', '-', 2)", "\"b\""},
          {"split_part('a-b-c', '-', -1)", "\"c\""},
          {"split_part('a', '-', 9)", "\"\""},
          {"left('hello', 2) || right('hello', 2)", "\"helo\""},
          {"initcap('hello wORLD-x')", "\"Hello World-X\""},
          {"concat('a', 1, true)", "\"a1true\""},
          {"'n: ' || 1.50", "\"n: 1.50\""},
          {"length('déjà')", "4"},
          {"len(12345)", "5"},
          {"substr('hello', -3, 2)", "\"ll\""},
          {"contains('abc', 'b')", "true"},
          {"startswith('abc', 'b')", "false"},
          {"endswith('abc', 'bc')", "true"},
          {"lpad('7', 3, '0')", "\"007\""},
          {"trim('  x ')", "\"x\""},
          {"replace('aXbX', 'X')", "\"ab\""},
          {"reverse('añb')", "\"bña\""},
          {"charindex('c', 'abc')", "3"},
          {"position('b' in 'abc')", "2"},
          {"array_to_string(split('a,b', ','), '+')", "\"a+b\""},
          {"md5('a')", "\"0cc175b9c0f1b6a831c399e269772661\""},
          {"'A' || NULL", "null"},
          {"'it''s' || '\\n'", "\"it's\\n\""},
          {"$$raw 'text'$$", "\"raw 'text'\""}});
}

TEST_F(FunctionTest, RegularExpressions) {
  Expect({
      {"regexp_like('abc', 'b')", "false"},
      {"'abc' rlike 'a.*'", "true"},
      {"regexp_replace('a1b22', '[0-9]+', '#')", "\"a#b#\""},
      {"regexp_substr('a1b22', '[0-9]+', 1, 2)", "\"22\""},
      {"regexp_substr('k=v', 'k=(.)', 1, 1, 'e')", "\"v\""},
      {"regexp_count('banana', 'an')", "2"},
      {"regexp_instr('banana', 'n')", "3"},
  });
}

TEST_F(FunctionTest, Numbers) {
  Expect({{"1 / 3", "3.33333E-1"},
          {"7 / 2", "3.5E0"},
          {"7 % 4", "3"},
          {"mod(-7, 4)", "-3"},
          {"div0(1, 0)", "0"},
          {"round(2.345, 2)", "2.35E0"},
          {"round(1250, -2)", "1300"},
          {"ceil(1.2)", "2"},
          {"floor(-1.2)", "-2"},
          {"trunc(1.99, 1)", "1.9E0"},
          {"square(3)", "9E0"},
          {"0.1 + 0.2", "3E-1"},
          {"'12' + 1", "13"},
          {"to_number('12.7')", "13"},
          {"try_to_number('x')", "null"},
          {"to_decimal('12.345', 10, 2)", "1.235E1"},
          {"to_char(1234.5, '9,999.00')", "\" 1,234.50\""},
          {"12.50::number(10,1)::varchar", "\"12.5\""},
          {"-(-2)", "2"},
          {"abs(-2)", "2"}});
}

TEST_F(FunctionTest, Dates) {
  Expect(
      {{"current_date", "\"2024-06-01\""},
       {"current_timestamp()", "\"2024-06-01 12:00:00\""},
       {"dateadd(month, 1, '2024-01-31'::date)", "\"2024-02-29\""},
       {"dateadd('hour', 1, '2024-01-31')", "\"2024-01-31 01:00:00\""},
       {"dateadd(hour, 1, DATE '2024-01-31')", "\"2024-01-31 01:00:00\""},
       {"datediff(day, '2024-01-01', '2024-03-01')", "60"},
       {"datediff(month, '2024-01-31', '2024-02-01')", "1"},
       {"datediff('year', '2023-12-31', '2024-01-01')", "1"},
       {"date_trunc('month', '2024-02-17'::date)", "\"2024-02-01\""},
       {"date_trunc(week, '2024-06-01'::date)", "\"2024-05-27\""},
       {"date_trunc('hour', '2024-02-17 10:59:59'::timestamp)", "\"2024-02-17 10:00:00\""},
       {"to_date('17/02/2024', 'DD/MM/YYYY')", "\"2024-02-17\""},
       {"to_date('2/17/2024')", "\"2024-02-17\""},
       {"try_to_date('nope')", "null"},
       {"to_timestamp(1717243200)", "\"2024-06-01 12:00:00\""},
       {"to_timestamp('2024-06-01T14:00:00+02:00')", "\"2024-06-01 12:00:00\""},
       {"to_char('2024-06-01'::date, 'MON DD, YYYY')", "\"Jun 01, 2024\""},
       {"to_varchar('2024-06-01 15:04:05'::timestamp, 'HH12:MI AM')", "\"03:04 PM\""},
       {"year('2024-06-01') * 100 + month('2024-06-01')", "202406"},
       {"extract(dow FROM '2024-06-01'::date)", "6"},
       {"date_part('week', '2024-06-01')", "22"},
       {"dayname('2024-06-01')", "\"Sat\""},
       {"last_day('2024-02-10')", "\"2024-02-29\""},
       {"current_date - 1", "\"2024-05-31\""},
       {"current_date - '2024-05-01'::date", "31"},
       {"current_timestamp - interval '1 day, 2 hours'", "\"2024-05-31 10:00:00\""},
       {"current_date() + interval '1 month'", "\"2024-07-01\""},
       {"date_from_parts(2024, 13, 0)", "\"2024-12-31\""},
       {"months_between('2024-03-31', '2024-02-29')", "1E0"},
       {"'2024-13-01'::date", "100040 (22007): Date '2024-13-01' is not recognized"},
       {"dateadd(year, 100000, current_date)", "100042 (22008): Date or timestamp is out of range"},
       {"dateadd(fortnight, 1, current_date)",
        "001021 (22023): SQL compilation error:\n'FORTNIGHT' is not a valid date/time "
        "component."}});
}

TEST_F(FunctionTest, Casts) {
  Expect(
      {{"cast('7' as int)", "7"},
       {"try_cast('x' as int)", "null"},
       {"'yes'::boolean", "true"},
       {"1::boolean::varchar", "\"true\""},
       {"'2024-06-01 10:00'::timestamp::date", "\"2024-06-01\""},
       {"3.7::int", "4"},
       {"'abcdef'::varchar(3)", "\"abc\""},
       {"'1e3'::float", "1E3"},
       {"parse_json('[1,2]')::array", "[1,2]"},
       {"parse_json('\"x\"')::string", "\"x\""},
       {"1::nosuch", "002040 (42601): SQL compilation error:\nUnsupported data type 'NOSUCH'."}});
}

TEST_F(FunctionTest, Session) {
  Expect({{"current_database()", "\"SALES\""},
          {"current_schema()", "\"PUBLIC\""},
          {"current_warehouse()", "null"}});
}

}  // namespace
}  // namespace viv::engine::guest_sql
