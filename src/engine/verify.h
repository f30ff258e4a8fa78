#pragma once
// Checks a world against what a task expects of it. An expectation is one of
//   {"sql": "SELECT count(*) FROM message WHERE text LIKE :t", "params": {"t": "%hi%"}, "equals":
//   1}
//       the first column of the first row; "rows": [[…], …] compares all rows, "exists": true|false
//       asks for any; base.<table> is the initial state
//   {"json": "$.channels[0].name", "equals": "general"}   over the dump, in SQLite's JSON path;
//   "exists", "contains" too
//   {"diff": {"table": "message", "inserted": 1, "updated": 0, "deleted": 0}}   members left out
//   are not looked at
//   {"unchanged": ["channel", "user"]}
// each with an optional "name". SQL only reads: a writing statement is refused before it runs.

// Only what the expectations ask for is done: the world is dumped or compared at most once, and not
// at all where none of them needs it.

#include <functional>

#include "base/json.h"
#include "base/result.h"
#include "engine/comparison.h"
#include "engine/pages.h"

namespace viv::engine {

// The full dump of the state that is verified.
using DumpFunction = std::function<Result<json::value>()>;

// {"passed": bool, "results": [{"name", "passed", "reason"}]}. kInvalidArgument when an expectation
// makes no sense.
Result<json::value> VerifyPages(Comparisons& comparisons,
                                const Pages& before,
                                const Pages& after,
                                const DumpFunction& dump,
                                const json::array& expectations);

}  // namespace viv::engine
