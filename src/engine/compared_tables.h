#pragma once
// The tables of a state that a diff compares, and how their rows are told apart.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "engine/btree.h"

namespace viv::engine {

struct ComparedTable {
  std::string name;
  std::string sql;  // its CREATE TABLE
  std::vector<std::string> columns;
  std::vector<std::string> key;  // the primary key, or the row id, or all columns
  std::vector<std::string>
      locator;  // what finds a row in the table's b-tree: the row id, or the key
                // of a table WITHOUT ROWID; empty: the row id has no name left
  TableTree tree;
};

using ComparedTables = std::map<std::string, ComparedTable>;  // by name

// The one place that says which tables are compared: ordinary ones of the author's and the guest's;
// no virtual tables, no shadow tables behind them, nothing of ours.
Result<ComparedTables> ReadComparedTables(db::Connection& connection, const std::string& database);

std::string QuoteName(const std::string& name);

}  // namespace viv::engine
