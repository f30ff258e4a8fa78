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

// Calls `step` as the user until it says that it is done, a few milliseconds at a time, others
// running in between. False when it took too long and was left.
Task<bool> RunInSlices(User user, std::function<bool()> step);

// How many matches a request wants, and gets at most. Refused below 1.
std::size_t SearchLimit(http::Fields& fields, std::size_t usual, std::size_t most);

}  // namespace viv::agent
