#pragma once
// A SQLite VFS whose database files are `Pages`. A connection opened on it has no database until
// pages are attached, and can be attached to another world at any time between transactions: so a
// few connections, with their statements prepared once, serve any number of worlds of the same
// image.

#include <sqlite3.h>

#include "base/result.h"
#include "db/sqlite.h"
#include "engine/pages.h"

namespace viv::engine {

// Opens a connection with nothing attached: journal in memory, no locking, no disk.
Result<db::Connection> OpenPageConnection();

// Makes `connection` see `pages` (nullptr: nothing) and forget what it had cached. Only between
// transactions. `pages` must outlive the attachment.
void AttachPages(db::Connection& connection, Pages* pages, const char* database = "main");

// The same for pages that are only read: what would write them fails.
void AttachPagesReadOnly(db::Connection& connection,
                         const Pages* pages,
                         const char* database = "main");

}  // namespace viv::engine
