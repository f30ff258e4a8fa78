#pragma once
// The store's database file: private to its owner (mode 600), and open in one server at a time.

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "db/sqlite.h"

namespace viv::store {

// Holds PATH.lock until destroyed. kUnavailable when another server has it.
Result<UniqueFd> LockDatabase(const std::string& path);

enum class Durability {
  kFull,    // a commit survives the loss of power
  kNormal,  // it survives the end of our process; the loss of power may take back the last ones
};
struct DatabaseOptions {
  Durability durability = Durability::kFull;
  int busy_timeout_ms = 5000;
};

// Opened, made if need be, and brought to the current schema. The caller holds the lock.
Result<db::Connection> OpenDatabase(const std::string& path, const DatabaseOptions& options);

}  // namespace viv::store
