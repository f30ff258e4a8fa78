#pragma once
// guest_rows(physical): the rows of a guest table as a JSON array of objects, in the order they
// came in. For an app's own SQL, which cannot name a table that the guest made: dumps, previews. A
// guest cannot call it.

#include <sqlite3.h>

#include "base/result.h"

namespace viv::engine::guest_sql {

Status RegisterRowsFunction(sqlite3* handle);

}  // namespace viv::engine::guest_sql
