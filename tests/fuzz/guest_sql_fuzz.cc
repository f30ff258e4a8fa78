// Any text as a guest's statement: it may fail, but it never crashes, never shows or changes a
// table of ours and never leaves the caller's transaction.

#include <sqlite3.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "db/sqlite.h"
#include "engine/guest_sql/catalog.h"
#include "engine/guest_sql/guest_sql.h"
#include "fuzz_target.h"

namespace {

using namespace viv::engine::guest_sql;

constexpr std::string_view kSecret = "hidden-from-every-guest";

void Now(sqlite3_context* context, int, sqlite3_value**) {
  sqlite3_result_int64(context, 1'717'243'200'000);
}

void Require(bool holds) {
  if (!holds) std::abort();
}

struct World {
  viv::db::Connection connection;
  Session session;
};

World MakeWorld() {
  auto opened = viv::db::Connection::Open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  Require(opened.has_value());
  World world{*std::move(opened), {}};
  sqlite3* handle = world.connection.get();
  sqlite3_create_function(handle, "now_ms", 0, SQLITE_UTF8, nullptr, Now, nullptr, nullptr);
  Require(world.connection.Execute(CatalogSchema()).has_value());
  Require(world.connection.Execute("CREATE TABLE secret (token TEXT)").has_value());
  Require(world.connection.Execute("INSERT INTO secret VALUES ('" + std::string(kSecret) + "')")
              .has_value());
  for (std::string_view sql :
       {"CREATE DATABASE d", "CREATE TABLE t (a INT AUTOINCREMENT, b VARCHAR, c DATE, e VARIANT)",
        "INSERT INTO t (b, c) VALUES ('x', '2024-01-01'), ('y', NULL)",
        "CREATE VIEW v AS SELECT a, b FROM t"}) {
    auto outcome = Run(handle, sql, world.session, Access::kReadWrite);
    Require(outcome.has_value());
    world.session = outcome->session;
  }
  return world;
}

}  // namespace

FUZZ_TARGET(guest_sql)(const std::uint8_t* data, std::size_t size) {
  const std::string_view sql(reinterpret_cast<const char*>(data), size);
  if (sql.find("hidden") != sql.npos) return 0;  // what the guest writes itself is no leak
  static World world = MakeWorld();
  sqlite3* handle = world.connection.get();
  const Limits limits{.rows_max = 100, .steps_max = 200'000, .growth_pages_max = 1000};
  Require(world.connection.Execute("BEGIN").has_value());
  auto outcome = Run(handle, sql, world.session, Access::kReadWrite, limits);
  const std::string seen = outcome ? viv::json::serialize(outcome->rows) : outcome.error().message;
  Require(seen.find(kSecret) == std::string::npos);
  Require(sqlite3_get_autocommit(handle) == 0);
  auto row = world.connection.Prepare("SELECT count(*), max(token) FROM secret");
  Require(row.has_value() && row->Step().has_value());
  Require(row->Integer(0) == 1 && row->Text(1) == kSecret);
  row = viv::db::Statement();  // finalized before the rollback
  Require(world.connection.Execute("ROLLBACK").has_value());
  return 0;
}
