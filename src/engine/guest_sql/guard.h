#pragma once
// What holds a guest's statement should the translation ever let something through: an authorizer
// that knows the few tables and functions the statement may use, and limits on its work, its values
// and the world's growth. Active while it lives; afterwards the connection has no authorizer and
// its former limits.

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "engine/guest_sql/guest_sql.h"
#include "engine/limits/sql_guard.h"
#include "engine/limits/work.h"

namespace viv::engine::guest_sql {

// What one statement may use, over all the statements of SQLite it becomes. It is the work of the
// thread while it lives, within that of the call.
class Budget {
 public:
  explicit Budget(const Limits& limits);

  const Limits& limits() const { return limits_; }
  bool exhausted() const { return work_.ended(); }

 private:
  const Limits& limits_;
  Work work_;
  WorkScope scope_;
};

class Guard : private SqlPolicy {
 public:
  Guard(sqlite3* handle, const std::set<std::string>& tables, Access access, Budget& budget);
  ~Guard() override;
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  bool Allows(int action,
              const char* first,
              const char* second,
              const char* database) const override;

 private:
  sqlite3* handle_;
  const std::set<std::string>& tables_;
  Access access_;
  std::int64_t pages_max_ = 0;
  std::optional<SqlGuard> guard_;
};

}  // namespace viv::engine::guest_sql
