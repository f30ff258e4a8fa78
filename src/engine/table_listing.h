#pragma once
// The tables of an app, as whoever writes expectations about a world has to know them.

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/app.h"

namespace viv::engine {

struct ListedColumn {
  std::string name;
  std::string type;       // as declared; may be empty
  bool required = false;  // NOT NULL
  bool is_key = false;    // part of the primary key
};
struct ListedTable {
  std::string name;
  std::vector<ListedColumn> columns;
};

// By name. Tables that belong to the engine, and those behind an index for full-text search, are
// left out.
Result<std::vector<ListedTable>> ListTables(const App& app);

}  // namespace viv::engine
