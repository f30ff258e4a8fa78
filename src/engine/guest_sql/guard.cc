#include "engine/guest_sql/guard.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace viv::engine::guest_sql {
namespace {

// SQLite's own functions that the translation writes; all others of use are ours and begin with g$.
constexpr std::array<std::string_view, 56> kFunctionsAllowed = {
    "->>",        "abs",         "acos",   "asin",      "atan",      "atan2",        "avg",
    "ceil",       "coalesce",    "cos",    "count",     "cume_dist", "degrees",      "dense_rank",
    "exp",        "first_value", "floor",  "iif",       "instr",     "json_extract", "lag",
    "last_value", "lead",        "length", "ln",        "log",       "lower",        "ltrim",
    "max",        "min",         "now_ms", "nth_value", "ntile",     "nullif",       "percent_rank",
    "pi",         "pow",         "power",  "radians",   "random",    "rank",         "replace",
    "round",      "row_number",  "rtrim",  "sign",      "sin",       "sqrt",         "substr",
    "substring",  "sum",         "tan",    "total",     "trim",      "typeof",       "upper"};

std::int64_t ReadNumber(sqlite3* handle, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  std::int64_t value = 0;
  if (sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    value = sqlite3_column_int64(statement, 0);
  }
  sqlite3_finalize(statement);
  return value;
}

// The names the translation gives to common table expressions.
bool IsSubquery(std::string_view name) {
  return name.starts_with("c$") || name.starts_with("v$") || name == "g$i";
}

constexpr SqlLimit kLimits[] = {{SQLITE_LIMIT_LENGTH, 16 << 20},
                                {SQLITE_LIMIT_SQL_LENGTH, 16 << 20},
                                {SQLITE_LIMIT_VDBE_OP, 5'000'000},
                                {SQLITE_LIMIT_ATTACHED, 0},
                                {SQLITE_LIMIT_TRIGGER_DEPTH, 1}};

}  // namespace

Budget::Budget(const Limits& limits)
    : limits_(limits),
      work_({.steps_max = limits.steps_max,
             .bytes_max = limits.work_bytes_max,
             .memory_bytes_max = limits.memory_bytes_max,
             .time_max = limits.time_max}),
      scope_(work_) {}

Guard::Guard(sqlite3* handle, const std::set<std::string>& tables, Access access, Budget& budget)
    : handle_(handle), tables_(tables), access_(access) {
  // The pragmas are ours, so they come before the authorizer, which knows none.
  pages_max_ = ReadNumber(handle, "PRAGMA main.max_page_count");
  const std::int64_t pages =
      ReadNumber(handle, "PRAGMA main.page_count") + budget.limits().growth_pages_max;
  ReadNumber(handle, "PRAGMA main.max_page_count = " + std::to_string(std::min(pages, pages_max_)));
  // So does the first use of json_each on a connection, which SQLite takes for a change of the
  // schema.
  if (tables.contains("json_each")) ReadNumber(handle, "SELECT value FROM json_each('[]')");
  InstallWorkLimits(handle);
  const SqlPolicy& policy = *this;
  guard_.emplace(handle, policy, kLimits);
}

Guard::~Guard() {
  guard_.reset();
  ReadNumber(handle_, "PRAGMA main.max_page_count = " + std::to_string(pages_max_));
}

bool Guard::Allows(int action, const char* first, const char* second, const char* database) const {
  const std::string name = first == nullptr ? "" : first;
  const bool ours = database != nullptr && std::string_view(database) == "main";
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return true;
    case SQLITE_READ:
      if (ours) return tables_.contains(name);
      // Without a database: a relation of which no column is read, as in count(*). A table's name
      // always comes with one.
      return database == nullptr && second != nullptr && *second == '\0' &&
             (IsSubquery(name) || name == "json_each");
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
      return ours && access_ == Access::kReadWrite && name.starts_with("g$") &&
             tables_.contains(name);
    case SQLITE_FUNCTION: {
      const std::string_view function = second == nullptr ? "" : second;
      return function.starts_with("g$") ||
             std::find(kFunctionsAllowed.begin(), kFunctionsAllowed.end(), function) !=
                 kFunctionsAllowed.end();
    }
    default:
      return false;
  }
}

}  // namespace viv::engine::guest_sql
