#include "engine/guest_sql/execute.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>

#include "base/text.h"
#include "db/sqlite.h"
#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/numbers.h"

namespace viv::engine::guest_sql {
namespace {

tl::unexpected<Error> Failure(sqlite3* handle, const Budget& budget) {
  if (budget.exhausted()) return TimedOut();
  switch (sqlite3_errcode(handle)) {
    case SQLITE_AUTH:
      return Fail(ErrorCode::kPermissionDenied,
                  "003001 (42501): SQL access control error:\nInsufficient privileges to operate.");
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
    case SQLITE_FULL:
      return Fail(ErrorCode::kLimitExceeded,
                  "000603 (XX000): Statement exceeds the resources of this account.");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
      return db::SqliteError(handle, "guest SQL");
    default:
      return EngineError(sqlite3_errmsg(handle));
  }
}

Result<db::Statement> PrepareGuarded(Context& context,
                                     const std::string& sql,
                                     const Budget& budget) {
  sqlite3* handle = context.catalog.handle();
  sqlite3_stmt* raw = nullptr;
  const char* rest = nullptr;
  if (sqlite3_prepare_v2(handle, sql.data(), static_cast<int>(sql.size()), &raw, &rest) !=
      SQLITE_OK) {
    return Failure(handle, budget);
  }
  db::Statement statement(raw);
  if (raw == nullptr || rest != sql.data() + sql.size())
    return Fail(ErrorCode::kInternal, "guest SQL has a rest");
  for (std::size_t i = 0; i < context.parameters.size(); ++i) {
    // A statement of several may not use them all.
    if (static_cast<int>(i) < sqlite3_bind_parameter_count(raw)) {
      statement.Bind(static_cast<int>(i) + 1, std::string_view(context.parameters[i]));
    }
  }
  return statement;
}

json::value NumberValue(double real, const Type& type) {
  if (!std::isfinite(real))
    return json::value(std::isnan(real) ? "NaN" : real > 0 ? "inf" : "-inf");
  if (type.kind != Kind::kNumber) return real;
  const double rounded = type.scale >= 0 ? RoundTo(real, type.scale) : real;
  if (rounded == std::floor(rounded) && std::fabs(rounded) < 9e15)
    return static_cast<std::int64_t>(rounded);
  return rounded;
}

json::value TextValue(std::string_view text, const Type& type) {
  if (type.IsSemiStructured() && !text.empty() && (text[0] == '{' || text[0] == '[')) {
    auto parsed = ParseJson(text);
    if (parsed) return *std::move(parsed);
  }
  return json::value(text);
}

}  // namespace

json::value ReadCell(sqlite3_stmt* statement, int column, const Type& type) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return nullptr;
    case SQLITE_INTEGER: {
      const std::int64_t value = sqlite3_column_int64(statement, column);
      if (type.kind == Kind::kBoolean) return value != 0;
      if (type.kind == Kind::kFloat) return static_cast<double>(value);
      return value;
    }
    case SQLITE_FLOAT:
      return NumberValue(sqlite3_column_double(statement, column), type);
    default: {
      const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      if (bytes == nullptr) return json::value("");
      std::string_view text(bytes,
                            static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
      if (!IsValidUtf8(text)) return json::value("?");
      return TextValue(text, type);
    }
  }
}

Result<RowSet> ExecuteQuery(Context& context, const Query& query, Budget& budget) {
  sqlite3* handle = context.catalog.handle();
  const Limits& limits = budget.limits();
  Guard guard(handle, context.tables, Access::kReadOnly, budget);
  ASSIGN_OR_RETURN(db::Statement statement, PrepareGuarded(context, query.sql, budget));
  if (sqlite3_stmt_readonly(statement.get()) == 0) return WriteRefused();
  if (sqlite3_column_count(statement.get()) != static_cast<int>(query.columns.size())) {
    return Fail(ErrorCode::kInternal, "guest SQL: the result has other columns than its query");
  }
  RowSet out;
  for (const OutputColumn& column : query.columns) out.columns.push_back(json::value(column.name));
  std::size_t bytes = 0;
  while (true) {
    const int code = sqlite3_step(statement.get());
    if (code == SQLITE_DONE) return out;
    if (code != SQLITE_ROW) return Failure(handle, budget);
    if (static_cast<std::int64_t>(out.rows.size()) >= limits.rows_max) {
      return Fail(
          ErrorCode::kLimitExceeded,
          fmt::format("Result has more than {} rows. Add a LIMIT or a filter.", limits.rows_max));
    }
    json::object row(query.columns.size());
    for (std::size_t i = 0; i < query.columns.size(); ++i) {
      const int column = static_cast<int>(i);
      row.insert_or_assign(query.columns[i].name,
                           ReadCell(statement.get(), column, query.columns[i].type));
      bytes += 16 + static_cast<std::size_t>(sqlite3_column_bytes(statement.get(), column));
    }
    if (bytes > limits.result_bytes_max) {
      return Fail(ErrorCode::kLimitExceeded,
                  fmt::format("Result has more than {} bytes. Add a LIMIT or a filter.",
                              limits.result_bytes_max));
    }
    out.rows.push_back(std::move(row));
  }
}

Result<std::int64_t> ExecuteWrite(Context& context, const std::string& sql, Budget& budget) {
  sqlite3* handle = context.catalog.handle();
  Guard guard(handle, context.tables, Access::kReadWrite, budget);
  ASSIGN_OR_RETURN(db::Statement statement, PrepareGuarded(context, sql, budget));
  const int code = sqlite3_step(statement.get());
  if (code != SQLITE_DONE) return Failure(handle, budget);
  return sqlite3_changes64(handle);
}

}  // namespace viv::engine::guest_sql
