#pragma once
// Copies a file or a folder with all that is in it, for moves that a rename cannot make: between
// mounts, and of folders that lie in a box's read-only layers. Modes, times and attributes are
// kept, owners where the user may give files away. Done in batches, each as the user.

#include <string>

#include "agent/files/file_result.h"
#include "agent/users.h"
#include "base/task.h"

namespace viv::agent {

// `to` must not exist. What was copied before a failure stays.
Task<FileResult<void>> CopyTree(User user, std::string from, std::string to);

}  // namespace viv::agent
