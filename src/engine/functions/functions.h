#pragma once
// The SQL functions of every app: what SQL cannot say (calendars, digests, diffs, regular
// expressions, arithmetic as text) as pure functions. They read nothing but their arguments, give
// NULL for NULL, and fail with "name: what is wrong"; README.md in this folder lists them.

#include <sqlite3.h>

#include <string_view>

#include "base/result.h"

namespace viv::engine {

// Adds all functions to the connection. They live as long as it does and keep no state of their
// own.
Status RegisterFunctions(sqlite3* handle);

// Of these, those that take the place of SQLite's own text functions.
Status RegisterTextFunctions(sqlite3* handle);

// Adds what a connection needs beside these when others write its statements.
Status RegisterReadOnlyFunctions(sqlite3* handle);

// Whether one of RegisterFunctions has this name.
bool IsEngineFunction(std::string_view name);

}  // namespace viv::engine
