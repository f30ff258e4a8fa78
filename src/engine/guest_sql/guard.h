#pragma once
// What holds a guest's statement should the translation ever let something through: an authorizer
// that knows the few tables and functions the statement may use, and limits on its work, its values
// and the world's growth. Active while it lives; afterwards the connection has no authorizer, no
// progress handler and its former limits.

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "engine/guest_sql/guest_sql.h"

namespace viv::engine::guest_sql {

// What one statement may use, over all the statements of SQLite it becomes.
class Budget {
 public:
  explicit Budget(const Limits& limits)
      : limits_(limits), deadline_(std::chrono::steady_clock::now() + limits.time_max) {}

  const Limits& limits() const { return limits_; }
  bool exhausted() const { return exhausted_; }
  bool Spend(std::int64_t steps);  // false: stop

 private:
  const Limits& limits_;
  std::chrono::steady_clock::time_point deadline_;
  std::int64_t steps_ = 0;
  bool exhausted_ = false;
};

class Guard {
 public:
  Guard(sqlite3* handle, const std::set<std::string>& tables, Access access, Budget& budget);
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // SQLite's authorizer callback asks this; public for its test.
  bool Allows(int action, const char* first, const char* second, const char* database) const;

 private:
  struct SavedLimit {
    int id;
    int value;
  };
  sqlite3* handle_;
  const std::set<std::string>& tables_;
  Access access_;
  std::vector<SavedLimit> limits_;
  std::int64_t pages_max_ = 0;
};

}  // namespace viv::engine::guest_sql
