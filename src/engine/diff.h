#pragma once
// What changed between two states of a world, row by row. Only tables that own a changed page are
// compared.

#include "base/json.h"
#include "base/result.h"
#include "db/sqlite.h"
#include "engine/pages.h"

namespace viv::engine {

// {"tables": {"message": {"inserted": [row…], "updated": [{"key","before","after"}…], "deleted":
// [row…]}},
//  "summary": {"inserted": n, "updated": n, "deleted": n}}; tables without a change are left out.
Result<json::value> DiffPages(const Pages& before, const Pages& after);

// A fresh connection with `after` as main and `before` attached as "base". The pages must outlive
// it.
Result<db::Connection> OpenBoth(Pages& before, Pages& after);

}  // namespace viv::engine
