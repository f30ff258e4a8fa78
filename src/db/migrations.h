#pragma once
// A schema is a list of numbered migrations, compiled in and never edited once landed. Migrate
// brings a database from whatever version it has to the last one, each step in one transaction, and
// writes down what it did in schema_migration. It refuses a database whose history it does not
// know: a database of a newer program, a gap, or a step whose text is not the one that was applied.

#include <span>
#include <string_view>

#include "base/result.h"
#include "db/sqlite.h"

namespace viv::db {

struct Migration {
  int version;  // 1, 2, 3, … without a gap
  std::string_view name;
  std::string_view sql;  // any number of statements, no BEGIN or COMMIT
};

Status Migrate(Connection& connection, std::span<const Migration> migrations);

}  // namespace viv::db
