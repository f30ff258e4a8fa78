// Whatever text a caller sends as a query, it either is refused with a message or becomes a
// statement that SQLite accepts, with every parameter of ours in use. The first byte picks the
// language.

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "engine/query/query.h"
#include "fuzz_target.h"

namespace {

using namespace viv;
using namespace viv::engine::query;

constexpr const char* kSchema =
    "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, tags TEXT, size INTEGER, created INTEGER, "
    "due TEXT)";

constexpr std::string_view kTarget = R"json({
  "from": "t", "key": "t.id", "text": ["t.name", "t.tags"], "where": "t.id > 0", "order": "t.id DESC",
  "fields": {
    "name": "t.name",
    "summary": {"sql": "t.name", "compare": "contains"},
    "labels": {"match": "EXISTS (SELECT 1 FROM json_each(t.tags) WHERE value = :value)",
               "empty": "json_array_length(t.tags) = 0", "repeat": "or", "separator": ",",
               "aliases": ["tag"]},
    "is": {"values": {"unread": "t.size = 1", "mine": "t.name = :me"}},
    "sprint": {"sql": "t.name", "values": {"openSprints()": "t.size = 1"}},
    "votes": {"sql": "t.size", "type": "number"},
    "larger": {"sql": "t.size", "type": "number", "compare": "larger"},
    "flag": {"sql": "t.size", "type": "boolean"},
    "created": {"sql": "t.created", "type": "date"},
    "due": {"sql": "t.due", "type": "date", "date_format": "day"},
    "edited": {"sql": "t.due", "type": "date", "date_format": "iso"},
    "older_than": {"sql": "t.created", "type": "date", "compare": "older_than"},
    "on": {"sql": "t.created", "type": "date", "compare": "on"},
    "from": {"sql": "t.name", "strip": "@#", "known": "SELECT 1 FROM t WHERE name = :value"}
  },
  "properties": {
    "text": "SELECT name FROM t AS o WHERE o.id = t.id AND o.name = :property",
    "number": "SELECT size FROM t AS o WHERE o.id = t.id AND o.name = :property",
    "date": "SELECT due FROM t AS o WHERE o.id = t.id AND o.name = :property",
    "boolean": "SELECT size FROM t AS o WHERE o.id = t.id AND o.name = :property",
    "list": {"match": "EXISTS (SELECT 1 FROM json_each(t.tags) WHERE value = :value AND t.name = :property)",
             "empty": "t.name = :property"}
  }
})json";

sqlite3* OpenDatabase() {
  sqlite3* db = nullptr;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  CHECK(sqlite3_exec(db, kSchema, nullptr, nullptr, nullptr) == SQLITE_OK);
  return db;
}

void CheckStatement(sqlite3* db, const std::string& sql, const Parameters& parameters) {
  sqlite3_stmt* statement = nullptr;
  CHECK(sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
  CHECK(sqlite3_bind_parameter_count(statement) == static_cast<int>(parameters.size()));
  for (const auto& [name, value] : parameters) {
    CHECK(sqlite3_bind_parameter_index(statement, name.c_str()) != 0);
  }
  sqlite3_finalize(statement);
}

}  // namespace

FUZZ_TARGET(query)(const std::uint8_t* data, std::size_t size) {
  static sqlite3* const db = OpenDatabase();
  static const Target target = *ParseTarget(*ParseJson(kTarget));
  constexpr std::string_view kLanguages[] = {"jql", "terms", "filter_json"};
  if (size == 0) return 0;
  Context context;
  context.now_ms = 1'741'867'200'000;
  context.me = "ann";
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto compiled = Compile(kLanguages[data[0] % 3], json::value(text), target, context);
  if (!compiled) {
    CHECK(compiled.error().code == ErrorCode::kInvalidArgument);
    CHECK(!compiled.error().message.empty());
    return 0;
  }
  CheckStatement(db, compiled->sql, compiled->parameters);
  for (const Check& check : compiled->checks) CheckStatement(db, check.sql, check.parameters);
  return 0;
}
