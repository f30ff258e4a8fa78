#include "db/migrations.h"

#include <string>

#include "base/clock.h"
#include "base/ids.h"

namespace viv::db {
namespace {

constexpr std::string_view kCreateTable = R"sql(
  CREATE TABLE IF NOT EXISTS schema_migration (
    version    INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    checksum   TEXT NOT NULL,  -- SHA-256 of the SQL
    applied_at TEXT NOT NULL
  ) STRICT)sql";
constexpr std::string_view kSelectApplied =
    "SELECT version, name, checksum FROM schema_migration ORDER BY version";
constexpr std::string_view kInsertApplied =
    "INSERT INTO schema_migration (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)";

std::string Describe(std::int64_t version, std::string_view name) {
  return "migration " + std::to_string(version) + " (" + std::string(name) + ")";
}

Status CheckList(std::span<const Migration> migrations) {
  int expected = 1;
  for (const Migration& migration : migrations) {
    if (migration.version != expected) {
      return Fail(ErrorCode::kInternal, Describe(migration.version, migration.name) +
                                            " stands where number " + std::to_string(expected) +
                                            " belongs");
    }
    ++expected;
  }
  return {};
}

// How many of `migrations` the database has; an error when it has anything but a prefix of them.
Result<std::size_t> CountApplied(Connection& connection, std::span<const Migration> migrations) {
  ASSIGN_OR_RETURN(Statement select, connection.Prepare(kSelectApplied));
  std::size_t applied = 0;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, select.Step(), "read schema_migration");
    if (!row) return applied;
    const std::int64_t version = select.Integer(0);
    const std::string what = Describe(version, select.Text(1));
    if (version > static_cast<std::int64_t>(migrations.size())) {
      return Fail(ErrorCode::kUnavailable, "the database has " + what + ", this program knows " +
                                               std::to_string(migrations.size()) +
                                               ": it was written by a newer version");
    }
    if (version != static_cast<std::int64_t>(applied) + 1) {
      return Fail(ErrorCode::kInternal,
                  "the database has " + what + " but not number " + std::to_string(applied + 1));
    }
    if (select.Text(2) != Sha256Hex(migrations[applied].sql)) {
      return Fail(ErrorCode::kInternal, what + " is not the one that was applied: it was edited");
    }
    ++applied;
  }
}

Status Apply(Connection& connection, const Migration& migration) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(connection));
  RETURN_IF_ERROR(connection.Execute(migration.sql));
  if (sqlite3_get_autocommit(connection.get()) != 0) {
    return Fail(ErrorCode::kInternal, "it ended its own transaction");
  }
  ASSIGN_OR_RETURN(Statement insert, connection.Prepare(kInsertApplied));
  insert.Bind(1, migration.version);
  insert.Bind(2, migration.name);
  insert.Bind(3, Sha256Hex(migration.sql));
  insert.Bind(4, IsoMicros(NowMicros()));
  RETURN_IF_ERROR(insert.Step());
  return transaction.Commit();
}

}  // namespace

Status Migrate(Connection& connection, std::span<const Migration> migrations) {
  RETURN_IF_ERROR(CheckList(migrations));
  RETURN_IF_ERROR(connection.Execute(kCreateTable));
  ASSIGN_OR_RETURN(const std::size_t applied, CountApplied(connection, migrations));
  for (const Migration& migration : migrations.subspan(applied)) {
    RETURN_IF_ERROR(Apply(connection, migration), Describe(migration.version, migration.name));
  }
  return {};
}

}  // namespace viv::db
