#pragma once
// Removes a file, or a folder with all that is in it. Done in batches, each as the user, others
// running in between. Links are removed, never followed; however deep the folders are, one
// descriptor is open.

#include <string>

#include "agent/files/file_result.h"
#include "agent/users.h"
#include "base/task.h"

namespace viv::agent {

// What is not there is removed already.
Task<FileResult<void>> RemoveTree(User user, std::string path);

}  // namespace viv::agent
