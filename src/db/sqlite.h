#pragma once
// RAII over SQLite: a connection, a statement, a transaction. One thread at a time per connection.

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace viv::db {

// The error of the last call on `handle`, as a Result error: "<doing>: <message>". Its code is
// kUnavailable for what may pass (busy, disk full, I/O), kConflict for a constraint, kLimitExceeded
// for too much, kInternal for the rest.
tl::unexpected<Error> SqliteError(sqlite3* handle, std::string_view doing);

class Statement {
 public:
  Statement() = default;
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}

  // A bind that fails (no such index, too long) is reported by the next Step.
  void Bind(int index, std::string_view text);  // copied
  void Bind(int index, std::int64_t value);
  void Bind(int index, int value) { Bind(index, std::int64_t{value}); }
  void Bind(int index, double value);
  void BindNull(int index);

  Result<bool> Step();  // true: a row is there
  void Reset();         // and clears the bindings

  std::string_view Text(int column) const;  // valid until the next Step
  std::int64_t Integer(int column) const;
  double Real(int column) const;
  bool IsNull(int column) const;

  sqlite3_stmt* get() const { return handle_.get(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  void Note(int code);

  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  int bind_error_ = SQLITE_OK;
};

class Connection {
 public:
  // `flags` as sqlite3_open_v2; `vfs` nullptr for the default one.
  static Result<Connection> Open(const std::string& path, int flags, const char* vfs = nullptr);

  Status Execute(std::string_view sql);             // any number of statements, no parameters
  Result<Statement> Prepare(std::string_view sql);  // exactly one statement
  sqlite3* get() const { return handle_.get(); }

 private:
  explicit Connection(sqlite3* handle) : handle_(handle) {}
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

// Rolled back when it goes out of scope without Commit.
class Transaction {
 public:
  static Result<Transaction> Begin(Connection& connection);  // BEGIN IMMEDIATE
  Transaction(Transaction&& other) noexcept
      : connection_(std::exchange(other.connection_, nullptr)) {}
  ~Transaction();
  Status Commit();

 private:
  explicit Transaction(Connection& connection) : connection_(&connection) {}
  Connection* connection_;
};

}  // namespace viv::db
