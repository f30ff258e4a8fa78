#include <fmt/format.h>

#include <utility>
#include <vector>

#include "db/sqlite.h"
#include "engine/guest_sql/cursor.h"
#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/function.h"
#include "engine/guest_sql/guest_sql.h"
#include "engine/guest_sql/statement.h"
#include "engine/limits/work.h"

namespace viv::engine::guest_sql {
namespace {

// Undone when it goes out of scope without Keep.
class Savepoint {
 public:
  static Result<Savepoint> Begin(sqlite3* handle) {
    if (sqlite3_exec(handle, "SAVEPOINT `g$statement`", nullptr, nullptr, nullptr) != SQLITE_OK) {
      return db::SqliteError(handle, "guest SQL");
    }
    return Savepoint(handle);
  }
  Savepoint(Savepoint&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~Savepoint() {
    if (handle_ == nullptr) return;
    WithoutLimits lifted;
    sqlite3_exec(handle_, "ROLLBACK TO `g$statement`", nullptr, nullptr, nullptr);
    sqlite3_exec(handle_, "RELEASE `g$statement`", nullptr, nullptr, nullptr);
  }

  Status Keep() {
    sqlite3* handle = std::exchange(handle_, nullptr);
    if (sqlite3_exec(handle, "RELEASE `g$statement`", nullptr, nullptr, nullptr) == SQLITE_OK)
      return {};
    return db::SqliteError(handle, "guest SQL");
  }

 private:
  explicit Savepoint(sqlite3* handle) : handle_(handle) {}
  sqlite3* handle_;
};

// The tokens of the one statement, without the semicolon that may end it.
Result<std::vector<Token>> OneStatement(std::string_view sql) {
  ASSIGN_OR_RETURN(auto tokens, Tokenize(sql));
  std::size_t statements = 0;
  bool inside = false;
  std::vector<Token> kept;
  for (Token& token : tokens) {
    if (token.IsSymbol(";")) {
      inside = false;
      continue;
    }
    if (token.kind != TokenKind::kEnd && !inside) ++statements;
    if (token.kind != TokenKind::kEnd) inside = true;
    kept.push_back(std::move(token));
  }
  if (statements == 0) return CompilationError("000900 (42601)", "Empty SQL statement.");
  if (statements > 1) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("000008 (0A000): Actual statement count {} did not match the desired "
                            "statement count 1.",
                            statements));
  }
  return kept;
}

}  // namespace

Result<Outcome> Run(sqlite3* handle,
                    std::string_view sql,
                    const Session& session,
                    Access access,
                    const Limits& limits) {
  ASSIGN_OR_RETURN(auto tokens, OneStatement(sql));
  RETURN_IF_ERROR(EnsureFunctions(handle));
  ASSIGN_OR_RETURN(Savepoint savepoint, Savepoint::Begin(handle));
  Cursor cursor(sql, tokens);
  Statement statement(handle, session, cursor, limits);
  auto ran = statement.Run(access);
  if (!ran && statement.exhausted()) return TimedOut();  // wherever it was noticed
  ASSIGN_OR_RETURN(Outcome outcome, std::move(ran));
  RETURN_IF_ERROR(savepoint.Keep());
  return outcome;
}

}  // namespace viv::engine::guest_sql
