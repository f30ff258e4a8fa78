#pragma once
// Removes a file, or a folder with all that is in it. It works in batches, each as the user, and
// yields in between. Links are removed, never followed; however deep the folders are, one
// descriptor is open.

#include <string>

#include "agent/files/file_result.h"
#include "agent/users.h"
#include "base/task.h"

namespace viv::agent {

// A missing path is no error.
Task<FileResult<void>> RemoveTree(User user, std::string path);

}  // namespace viv::agent
