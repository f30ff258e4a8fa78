#pragma once
// Restricts foreign SQL statements to what a policy allows, with SQLite's authorizer and limits.
// Active while it lives; afterwards the connection has no authorizer and its former limits. work.h
// limits how long a statement may run.

#include <sqlite3.h>

#include <span>
#include <vector>

namespace viv::engine {

class SqlPolicy {
 public:
  virtual ~SqlPolicy() = default;
  // As SQLite's authorizer asks while it prepares a statement; what is not allowed is refused.
  virtual bool Allows(int action,
                      const char* first,
                      const char* second,
                      const char* database) const = 0;
};

struct SqlLimit {
  int id;  // SQLITE_LIMIT_…
  int value;
};

class SqlGuard {
 public:
  // Limits that are tighter already stay.
  SqlGuard(sqlite3* handle, const SqlPolicy& policy, std::span<const SqlLimit> limits);
  ~SqlGuard();
  SqlGuard(const SqlGuard&) = delete;
  SqlGuard& operator=(const SqlGuard&) = delete;

 private:
  sqlite3* handle_;
  std::vector<SqlLimit> former_;
};

}  // namespace viv::engine
