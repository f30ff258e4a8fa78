#include "store/sqlite/database_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/errno_error.h"
#include "db/migrations.h"
#include "store/sqlite/schema.h"

namespace viv::store {
namespace {

Result<UniqueFd> OpenPrivate(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) return FailErrno(ErrorCode::kUnavailable, "open " + path);
  if (::fchmod(file.get(), 0600) != 0)
    return FailErrno(ErrorCode::kUnavailable, "chmod 600 " + path);
  return file;
}

Status UseWriteAheadLog(db::Connection& connection) {
  ASSIGN_OR_RETURN(db::Statement pragma, connection.Prepare("PRAGMA journal_mode = WAL"));
  ASSIGN_OR_RETURN(const bool row, pragma.Step());
  if (row && pragma.Text(0) == "wal") return {};
  return Fail(ErrorCode::kUnavailable, "its file system has no write-ahead log");
}

Status Configure(db::Connection& connection, const DatabaseOptions& options) {
  sqlite3_busy_timeout(connection.get(), options.busy_timeout_ms);
  RETURN_IF_ERROR(UseWriteAheadLog(connection));
  const bool full = options.durability == Durability::kFull;
  RETURN_IF_ERROR(
      connection.Execute(full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL"));
  RETURN_IF_ERROR(connection.Execute("PRAGMA foreign_keys = ON"));
  return db::Migrate(connection, SqliteSchema());
}

}  // namespace

Result<UniqueFd> LockDatabase(const std::string& path) {
  ASSIGN_OR_RETURN(UniqueFd lock, OpenPrivate(path + ".lock"));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return FailErrno(ErrorCode::kUnavailable, "lock " + path);
  return Fail(ErrorCode::kUnavailable, path + " is in use by another viv server");
}

Result<db::Connection> OpenDatabase(const std::string& path, const DatabaseOptions& options) {
  // SQLite would make the file readable for all; its -wal and -shm get the mode of the file. It is
  // closed again first: closing any descriptor of a file drops SQLite's locks on it.
  RETURN_IF_ERROR(OpenPrivate(path));
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  ASSIGN_OR_RETURN(db::Connection connection, db::Connection::Open(path, flags));
  RETURN_IF_ERROR(Configure(connection, options), "open " + path);
  return connection;
}

}  // namespace viv::store
