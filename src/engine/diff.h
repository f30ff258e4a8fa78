#pragma once
// What changed between two states of a world, row by row. Only rows on pages that differ are read
// (btree.h), so that a diff costs what changed.

#include "base/json.h"
#include "base/result.h"
#include "engine/comparison.h"
#include "engine/pages.h"

namespace viv::engine {

// {"tables": {"message": {"inserted": [row…], "updated": [{"key","before","after"}…], "deleted":
// [row…]}},
//  "summary": {"inserted": n, "updated": n, "deleted": n}}; tables without a change are left out.
Result<json::value> DiffPages(Comparisons& comparisons, const Pages& before, const Pages& after);

// The same, by comparing every row of every table: what DiffPages is tested against.
Result<json::value> DiffEveryRow(Comparisons& comparisons, const Pages& before, const Pages& after);

}  // namespace viv::engine
