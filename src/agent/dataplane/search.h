#pragma once
// POST /dataplane/glob and /dataplane/grep: files by their names, and lines by their text. Both
// answer with what was found within the limits, and say whether that is all.

#include <chrono>
#include <functional>

#include "agent/context.h"
#include "agent/dataplane/tree_search.h"
#include "agent/files/file_result.h"
#include "base/task.h"
#include "http/fields.h"
#include "http/message.h"

namespace viv::agent {

// All outlive the calls.
Task<http::Response> GlobFiles(Context& context, http::Request& request);
Task<http::Response> GrepFiles(Context& context, http::Request& request);

// Calls `step` as the user until it returns true, for a few milliseconds at a time, and lets other
// coroutines run in between. False when the time limit was reached.
Task<bool> RunInSlices(User user, std::function<bool()> step);

// The number of matches that a request gets at most. Refuses a number below 1.
std::size_t SearchLimit(http::Fields& fields, std::size_t usual, std::size_t most);

}  // namespace viv::agent
