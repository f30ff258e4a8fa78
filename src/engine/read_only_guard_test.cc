// The SQL of verify: what it may use, and how much.

#include "engine/read_only_guard.h"

#include <gmock/gmock.h>

#include "engine/test_app.h"
#include "engine/world.h"

namespace viv::engine {
namespace {

using testing::HasSubstr;

class ReadOnlyGuardTest : public testing::Test {
 protected:
  // "" when the statement may run and does, else why it did not.
  std::string Refusal(const std::string& sql) {
    auto verified = world_.Verify(json::array{{{"sql", sql}, {"exists", true}}});
    return verified ? "" : verified.error().message;
  }

  TestApp app_;
  World world_{app_.Load(), "default", app_.data() + "/reading.log"};
};

TEST_F(ReadOnlyGuardTest, FunctionsAreOfAList) {
  for (const char* call :
       {"fts3_tokenizer('simple')", "fts3_tokenizer('simple', x'4141414141414141')",
        "load_extension('x')", "sqlite_compileoption_get(1)", "sqlite_compileoption_used('x')",
        "sqlite_version()", "sqlite_source_id()", "sqlite_log(1, 'x')", "last_insert_rowid()",
        "changes()", "total_changes()", "rtreecheck('note')", "rtreenode(1, x'')", "optimize(note)",
        "matchinfo(note)", "offsets(note)"}) {
    EXPECT_NE(Refusal(std::string("SELECT ") + call + " FROM note"), "") << call;
  }
  for (const char* call : {"count(*)",
                           "max(stars)",
                           "lower(text)",
                           "json_extract(tags, '$[0]')",
                           "instr(text, 'i')",
                           "replace(text, 'a', 'b')",
                           "text LIKE '%i%'",
                           "text GLOB '*i*'",
                           "trim(text)",
                           "substr(text, 1, 2)",
                           "printf('%d', 1)",
                           "json_patch('{}', '{}')",
                           "fold(text)",
                           "regexp_like(text, 'f')",
                           "time_format(created_ms, 'date')",
                           "group_concat(text)",
                           "row_number() OVER ()",
                           "date('2025-01-01')",
                           "round(1.5)",
                           "hex(text)"}) {
    EXPECT_EQ(Refusal(std::string("SELECT ") + call + " FROM note"), "") << call;
  }
}

TEST_F(ReadOnlyGuardTest, TablesAreThoseOfTheTwoWorlds) {
  for (const char* sql :
       {"SELECT * FROM dbstat", "SELECT * FROM pragma_database_list",
        "SELECT * FROM pragma_table_info('note')", "SELECT * FROM sqlite_stmt",
        "SELECT * FROM pragma_function_list", "PRAGMA user_version", "ATTACH ':memory:' AS x",
        "DETACH base", "CREATE TEMP TABLE x (y)", "DELETE FROM note", "VACUUM INTO '/tmp/x'"}) {
    EXPECT_NE(Refusal(sql), "") << sql;
  }
  for (const char* sql :
       {"SELECT * FROM note", "SELECT * FROM base.note", "SELECT * FROM json_each('[1]')",
        "SELECT n.id FROM note n, json_tree(n.tags) t",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 3) SELECT x FROM c",
        "SELECT name FROM sqlite_schema"}) {
    EXPECT_EQ(Refusal(sql), "") << sql;
  }
}

TEST_F(ReadOnlyGuardTest, ValuesResultsAndMemoryHaveALimit) {
  const std::string rows =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 1000) ";
  EXPECT_NE(Refusal("SELECT zeroblob(17000000)"), "");
  EXPECT_NE(Refusal("SELECT hex(zeroblob(9000000))"), "");
  EXPECT_EQ(Refusal("SELECT zeroblob(15000000)"), "");
  EXPECT_THAT(Refusal(rows + "SELECT zeroblob(15000000) FROM c"), HasSubstr("32 MiB"));
  for (const char* rest :
       {"SELECT max(b) FROM (SELECT randomblob(15000000) AS b FROM c ORDER BY b)",
        "SELECT count(DISTINCT randomblob(15000000)) FROM c",
        "SELECT length(group_concat(hex(zeroblob(5000000)))) FROM c"}) {
    EXPECT_NE(Refusal(rows + rest), "") << rest;
  }
  EXPECT_EQ(Refusal("SELECT 1"), "");
}

TEST_F(ReadOnlyGuardTest, AValueThatIsTooLargeIsRefusedAndNotTakenForNull) {
  const std::string large(17 << 20, 'x');
  auto verified = world_.Verify(
      json::array{{{"sql", "SELECT :t IS NULL"}, {"params", {{"t", large}}}, {"exists", true}}});
  ASSERT_FALSE(verified);
  EXPECT_THAT(verified.error().message, HasSubstr("a value is too large"));
  auto answer = world_.Call("add_note", {{"folder", "inbox"}, {"text", large}}, 0);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->is_error);
  EXPECT_EQ(world_.Call("count_notes", {}, 0)->text, "1");
}

TEST_F(ReadOnlyGuardTest, TimeHasALimitWithinFunctions) {
  Work work({.bytes_max = 200'000'000});  // less than what a request has, to be there sooner
  std::optional<WorkScope> scope(work);
  std::string many = "SELECT 1";
  for (int i = 0; i < 1500; ++i) many += ", length(hex(zeroblob(7000000)))";
  EXPECT_NE(Refusal(many), "");
  EXPECT_NE(Refusal("SELECT replace(hex(zeroblob(4000000)), '00', 'a') LIKE '%' || "
                    "substr(replace(hex(zeroblob(50000)), '00', 'a'), 1, 40000) || 'b'"),
            "");
  scope.reset();
  EXPECT_EQ(Refusal("SELECT instr(zeroblob(8000000), CAST(zeroblob(4000000) || 'x' AS BLOB))"), "");
}

TEST_F(ReadOnlyGuardTest, AReasonShowsNoMoreThanSomebodyReads) {
  auto verified =
      world_.Verify(json::array{{{"sql", "SELECT hex(zeroblob(1000000))"}, {"equals", 1}}});
  ASSERT_TRUE(verified);
  const json::value& reason = verified->at("results").at(0).at("reason");
  EXPECT_LT(reason.as_string().size(), 20'000U);
}

TEST_F(ReadOnlyGuardTest, ACancelledCallerEndsDiffAndVerify) {
  ASSERT_TRUE(world_.Call("add_note", {{"folder", "inbox"}, {"text", "x"}}, 0));
  const std::atomic<bool> cancelled{true};
  {
    Work work({}, &cancelled);
    WorkScope scope(work);
    EXPECT_NE(Refusal("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
                      "SELECT count(*) FROM c"),
              "");
    EXPECT_EQ(world_.Call("count_notes", {}, 0).error().code, ErrorCode::kLimitExceeded);
  }
  EXPECT_EQ(world_.Call("count_notes", {}, 0)->text, "2");
  EXPECT_TRUE(world_.Diff());
}

}  // namespace
}  // namespace viv::engine
