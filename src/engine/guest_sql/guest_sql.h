#pragma once
// Guest SQL: an agent's own statement, in the dialect of the product an app imitates (Snowflake),
// on tables that live inside the world. A statement is read word by word and written anew for
// SQLite: every table it names is looked up in the catalogue (catalog.h), every function in our
// list, so nothing the guest wrote reaches SQLite unseen; an authorizer and limits (guard.h) hold
// should the writing ever go wrong. DDL never reaches SQLite as the guest's text.
//
// Errors carry the product's own words and codes, e.g. "002003 (42S02): SQL compilation
// error:\nObject 'X' does not exist or not authorized."

#include <sqlite3.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace viv::engine::guest_sql {

// What is current; each may be empty. Names as stored: ANALYTICS, PUBLIC.
struct Session {
  std::string database;
  std::string schema;
  std::string role;
  std::string warehouse;
};

enum class Access { kReadOnly, kReadWrite };

struct Limits {
  std::int64_t rows_max = 10'000;           // of one result; more is an error, not a cut
  std::int64_t steps_max = 50'000'000;      // instructions of SQLite's machine
  std::size_t result_bytes_max = 32 << 20;  // of one result's values
  std::int64_t growth_pages_max = 65'536;   // by which one statement may enlarge the world
  std::chrono::milliseconds time_max{20'000};
  std::int64_t work_bytes_max = std::int64_t{4} << 30;      // that functions look at or write
  std::int64_t memory_bytes_max = std::int64_t{256} << 20;  // that the statement holds at once
};

struct Outcome {
  json::array columns;             // names
  json::array rows;                // objects by column name, members in the columns' order
  std::int64_t rows_affected = 0;  // changed rows of DML; else the number of rows returned
  std::string statement_type;      // SELECT, INSERT, CREATE_TABLE, USE, SHOW …
  std::string message;             // "Table T successfully created."; empty for a query
  Session session;  // after the statement: USE, and CREATE DATABASE or SCHEMA change it
};

// Runs exactly one statement, inside the caller's transaction: a failed one leaves no trace,
// nothing is committed. Needs a SQL function now_ms() on `handle`; registers its own functions (all
// named g$…) on first use. Replaces the connection's authorizer and leaves none; the connection's
// statements obey the thread's work (limits/work.h) from then on.
Result<Outcome> Run(sqlite3* handle,
                    std::string_view sql,
                    const Session& session,
                    Access access,
                    const Limits& limits = {});

}  // namespace viv::engine::guest_sql
