#include "db/sqlite.h"

#include <climits>

#include "db/memory_limit.h"

namespace viv::db {
namespace {

ErrorCode CodeOf(int sqlite_code) {
  switch (sqlite_code & 0xff) {  // the low byte is the primary code of an extended one
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_NOMEM:
    case SQLITE_INTERRUPT:
      return ErrorCode::kUnavailable;
    case SQLITE_CONSTRAINT:
      return ErrorCode::kConflict;
    case SQLITE_TOOBIG:
      return ErrorCode::kLimitExceeded;
    case SQLITE_AUTH:
      return ErrorCode::kPermissionDenied;
    default:
      return ErrorCode::kInternal;
  }
}

tl::unexpected<Error> FailWith(int code, std::string_view doing, const char* message) {
  return Fail(CodeOf(code), std::string(doing) + ": " + message);
}

// The first statement of `sql`, a null one when there is only white space; `sql` becomes the rest.
Result<Statement> PrepareFirst(sqlite3* handle, std::string_view& sql) {
  // SQLite stops at a NUL and would never reach the end of what follows it.
  if (sql.find('\0') != sql.npos) return Fail(ErrorCode::kInvalidArgument, "SQL has a NUL byte");
  if (sql.size() > INT_MAX) return Fail(ErrorCode::kLimitExceeded, "SQL is too long");
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  const int size = static_cast<int>(sql.size());
  if (sqlite3_prepare_v2(handle, sql.data(), size, &statement, &rest) != SQLITE_OK) {
    return SqliteError(handle, "prepare");
  }
  sql.remove_prefix(static_cast<std::size_t>(rest - sql.data()));
  return Statement(statement);
}

void Refuse(sqlite3_context* context, int, sqlite3_value**) {
  sqlite3_result_error(context, "not allowed", -1);
}

}  // namespace

tl::unexpected<Error> SqliteError(sqlite3* handle, std::string_view doing) {
  return FailWith(sqlite3_extended_errcode(handle), doing, sqlite3_errmsg(handle));
}

void Statement::Bind(int index, std::string_view text) {
  // A view without data means empty text; SQLite would make it NULL.
  const char* data = text.data() == nullptr ? "" : text.data();
  Note(sqlite3_bind_text64(handle_.get(), index, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::Bind(int index, std::int64_t value) {
  Note(sqlite3_bind_int64(handle_.get(), index, value));
}

void Statement::Bind(int index, double value) {
  Note(sqlite3_bind_double(handle_.get(), index, value));
}

void Statement::BindNull(int index) {
  Note(sqlite3_bind_null(handle_.get(), index));
}

void Statement::Note(int code) {
  if (bind_error_ == SQLITE_OK) bind_error_ = code;
}

Result<bool> Statement::Step() {
  if (handle_ == nullptr) return Fail(ErrorCode::kInternal, "step: no statement");
  if (bind_error_ != SQLITE_OK) return FailWith(bind_error_, "bind", sqlite3_errstr(bind_error_));
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  auto failure = SqliteError(sqlite3_db_handle(handle_.get()), "step");
  sqlite3_reset(handle_.get());  // a statement left half-run would keep its transaction open
  return failure;
}

void Statement::Reset() {
  bind_error_ = SQLITE_OK;
  if (handle_ == nullptr) return;
  sqlite3_reset(handle_.get());
  sqlite3_clear_bindings(handle_.get());
}

std::string_view Statement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

std::int64_t Statement::Integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

double Statement::Real(int column) const {
  return sqlite3_column_double(handle_.get(), column);
}

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

Result<Connection> Connection::Open(const std::string& path, int flags, const char* vfs) {
  CountMemory();
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, vfs);
  Connection connection(handle);  // SQLite gives a handle, to be closed, even when it fails
  if (code == SQLITE_OK) {
    // fts3_tokenizer() shows and takes addresses of this process, with bound arguments even where
    // it is switched off.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, nullptr);
    for (int arguments : {1, 2})
      sqlite3_create_function_v2(handle, "fts3_tokenizer", arguments, SQLITE_UTF8, nullptr, Refuse,
                                 nullptr, nullptr, nullptr);
    return connection;
  }
  if (handle == nullptr) return FailWith(code, "open " + path, sqlite3_errstr(code));
  return SqliteError(handle, "open " + path);
}

Status Connection::Execute(std::string_view sql) {
  while (!sql.empty()) {
    ASSIGN_OR_RETURN(Statement statement, PrepareFirst(get(), sql));
    if (statement.get() == nullptr) continue;  // a comment, or a lone semicolon
    bool row = true;
    while (row) {
      ASSIGN_OR_RETURN(row, statement.Step());
    }
  }
  return {};
}

Result<Statement> Connection::Prepare(std::string_view sql) {
  ASSIGN_OR_RETURN(Statement statement, PrepareFirst(get(), sql));
  if (statement.get() == nullptr) return Fail(ErrorCode::kInvalidArgument, "prepare: no statement");
  while (!sql.empty()) {
    ASSIGN_OR_RETURN(Statement second, PrepareFirst(get(), sql));
    if (second.get() != nullptr) {
      return Fail(ErrorCode::kInvalidArgument, "prepare: more than one statement");
    }
  }
  return statement;
}

Result<Transaction> Transaction::Begin(Connection& connection) {
  RETURN_IF_ERROR(connection.Execute("BEGIN IMMEDIATE"), "begin");
  return Transaction(connection);
}

Transaction::~Transaction() {
  if (connection_ == nullptr) return;
  // Some failures (disk full, I/O) have already rolled back.
  if (sqlite3_get_autocommit(connection_->get()) != 0) return;
  (void)connection_->Execute("ROLLBACK");
}

Status Transaction::Commit() {
  RETURN_IF_ERROR(connection_->Execute("COMMIT"), "commit");
  connection_ = nullptr;
  return {};
}

}  // namespace viv::db
