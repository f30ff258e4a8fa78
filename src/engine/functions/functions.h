#pragma once
// The SQL functions of every app: what SQL cannot say (calendars, digests, diffs, regular
// expressions, arithmetic as text) as pure functions. They read nothing but their arguments, give
// NULL for NULL, and fail with "name: what is wrong"; README.md in this folder lists them.

#include <sqlite3.h>

#include "base/result.h"

namespace viv::engine {

// Adds all functions to the connection. They live as long as it does and keep no state of their
// own.
Status RegisterFunctions(sqlite3* handle);

}  // namespace viv::engine
