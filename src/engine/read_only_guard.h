#pragma once
// Restricts statements of clients to reading: the SQL of verify. They run in this process, so they
// may use only the tables of the two worlds and a list of functions; their time and memory are
// limited within functions, too (limits/work.h).

#include <sqlite3.h>

#include <cstddef>

#include "base/result.h"
#include "engine/limits/sql_guard.h"
#include "engine/limits/work.h"

namespace viv::engine {

constexpr std::size_t kResultBytesMax = std::size_t{32} << 20;  // of the rows of one statement

// Of all the statements of one request.
extern const WorkLimits kReadOnlyLimits;

// Prepares a connection, once: values of 16 MiB at most, no further databases, functions that can
// be stopped, an untrusted schema.
Status PrepareReadOnly(sqlite3* handle);

// Lets the connection's statements only read, while it lives.
class ReadOnlyGuard {
 public:
  explicit ReadOnlyGuard(sqlite3* handle);

 private:
  SqlGuard guard_;
};

}  // namespace viv::engine
