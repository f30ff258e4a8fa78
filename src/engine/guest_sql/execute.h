#pragma once
// Runs the SQL the translator wrote, under guard, and reads results back into the product's values.

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "engine/guest_sql/guard.h"
#include "engine/guest_sql/translator.h"

namespace viv::engine::guest_sql {

struct RowSet {
  json::array columns;
  json::array rows;
};

json::value ReadCell(sqlite3_stmt* statement, int column, const Type& type);

Result<RowSet> ExecuteQuery(Context& context, const Query& query, Budget& budget);
Result<std::int64_t> ExecuteWrite(Context& context,
                                  const std::string& sql,
                                  Budget& budget);  // rows changed

}  // namespace viv::engine::guest_sql
