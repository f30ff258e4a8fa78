#include "engine/read_only_guard.h"

#include <set>
#include <string_view>

#include "engine/functions/functions.h"

namespace viv::engine {
namespace {

constexpr int kReadValueBytesMax = 16 << 20;

constexpr SqlLimit kStatementLimits[] = {{SQLITE_LIMIT_SQL_LENGTH, 100'000},
                                         {SQLITE_LIMIT_VDBE_OP, 50'000},
                                         {SQLITE_LIMIT_EXPR_DEPTH, 500},
                                         {SQLITE_LIMIT_COMPOUND_SELECT, 100}};

// SQLite's own functions that are allowed beside the engine's. Left out are those that look into
// the process or the connection, and whatever a newer SQLite brings.
const std::set<std::string_view>& SqliteFunctions() {
  static const std::set<std::string_view> kNames = {"->",
                                                    "->>",
                                                    "abs",
                                                    "acos",
                                                    "acosh",
                                                    "asin",
                                                    "asinh",
                                                    "atan",
                                                    "atan2",
                                                    "atanh",
                                                    "avg",
                                                    "bm25",
                                                    "ceil",
                                                    "ceiling",
                                                    "char",
                                                    "coalesce",
                                                    "concat",
                                                    "concat_ws",
                                                    "cos",
                                                    "cosh",
                                                    "count",
                                                    "cume_dist",
                                                    "date",
                                                    "datetime",
                                                    "degrees",
                                                    "dense_rank",
                                                    "exp",
                                                    "first_value",
                                                    "floor",
                                                    "format",
                                                    "group_concat",
                                                    "hex",
                                                    "highlight",
                                                    "ifnull",
                                                    "iif",
                                                    "json",
                                                    "json_array",
                                                    "json_array_length",
                                                    "json_each",
                                                    "json_extract",
                                                    "json_group_array",
                                                    "json_group_object",
                                                    "json_insert",
                                                    "json_object",
                                                    "json_patch",
                                                    "json_quote",
                                                    "json_remove",
                                                    "json_replace",
                                                    "json_set",
                                                    "json_tree",
                                                    "json_type",
                                                    "json_valid",
                                                    "julianday",
                                                    "lag",
                                                    "last_value",
                                                    "lead",
                                                    "length",
                                                    "likelihood",
                                                    "likely",
                                                    "ln",
                                                    "log",
                                                    "log10",
                                                    "log2",
                                                    "lower",
                                                    "match",
                                                    "max",
                                                    "min",
                                                    "mod",
                                                    "nth_value",
                                                    "ntile",
                                                    "nullif",
                                                    "percent_rank",
                                                    "pi",
                                                    "pow",
                                                    "power",
                                                    "printf",
                                                    "quote",
                                                    "radians",
                                                    "random",
                                                    "randomblob",
                                                    "rank",
                                                    "round",
                                                    "row_number",
                                                    "sign",
                                                    "sin",
                                                    "sinh",
                                                    "snippet",
                                                    "sqrt",
                                                    "strftime",
                                                    "string_agg",
                                                    "substr",
                                                    "substring",
                                                    "sum",
                                                    "tan",
                                                    "tanh",
                                                    "time",
                                                    "timediff",
                                                    "total",
                                                    "trunc",
                                                    "typeof",
                                                    "unicode",
                                                    "unixepoch",
                                                    "unlikely",
                                                    "upper",
                                                    "zeroblob"};
  return kNames;
}

// Tables that no world has but SQLite itself: the state of the process or of the connection.
bool IsInner(std::string_view name) {
  static const std::set<std::string_view> kInner = {
      "bytecode", "dbstat", "sqlite_dbpage", "sqlite_memstat", "sqlite_stmt", "tables_used"};
  return kInner.contains(name) || name.starts_with("pragma_");
}

class ReadOnlyPolicy : public SqlPolicy {
 public:
  bool Allows(int action,
              const char* first,
              const char* second,
              const char* /*database*/) const override {
    switch (action) {
      case SQLITE_SELECT:
      case SQLITE_RECURSIVE:
        return true;
      case SQLITE_READ:
        return first != nullptr && !IsInner(first);
      case SQLITE_FUNCTION:
        return second != nullptr &&
               (IsEngineFunction(second) || SqliteFunctions().contains(second));
      default:
        return false;
    }
  }
};

const ReadOnlyPolicy kReadOnlyPolicy{};

}  // namespace

const WorkLimits kReadOnlyLimits{.steps_max = 200'000'000,
                                 .bytes_max = std::int64_t{4} << 30,
                                 .memory_bytes_max = std::int64_t{256} << 20,
                                 .time_max = std::chrono::seconds(20)};

Status PrepareReadOnly(sqlite3* handle) {
  // The first use of json_each on a connection is taken for a change of the schema, which the
  // policy does not allow.
  for (const char* sql : {"SELECT value FROM json_each('[]')", "SELECT value FROM json_tree('[]')"})
    sqlite3_exec(handle, sql, nullptr, nullptr, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kReadValueBytesMax);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1);  // the one that is there
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // Only here: a full-text index that is flushed while a statement is reset, as sessions do it,
  // would be refused to write its own tables.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return RegisterReadOnlyFunctions(handle);
}

ReadOnlyGuard::ReadOnlyGuard(sqlite3* handle) : guard_(handle, kReadOnlyPolicy, kStatementLimits) {}

}  // namespace viv::engine
