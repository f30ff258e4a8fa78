#include "engine/limits/sql_guard.h"

#include <algorithm>

namespace viv::engine {
namespace {

int AskPolicy(void* policy,
              int action,
              const char* first,
              const char* second,
              const char* database,
              const char*) {
  return static_cast<const SqlPolicy*>(policy)->Allows(action, first, second, database)
             ? SQLITE_OK
             : SQLITE_DENY;
}

}  // namespace

SqlGuard::SqlGuard(sqlite3* handle, const SqlPolicy& policy, std::span<const SqlLimit> limits)
    : handle_(handle) {
  for (const SqlLimit& limit : limits) {
    former_.push_back({limit.id, sqlite3_limit(handle, limit.id, -1)});
    sqlite3_limit(handle, limit.id, std::min(limit.value, former_.back().value));
  }
  sqlite3_set_authorizer(handle, AskPolicy, const_cast<SqlPolicy*>(&policy));
}

SqlGuard::~SqlGuard() {
  sqlite3_set_authorizer(handle_, nullptr, nullptr);
  for (const SqlLimit& limit : former_) sqlite3_limit(handle_, limit.id, limit.value);
}

}  // namespace viv::engine
