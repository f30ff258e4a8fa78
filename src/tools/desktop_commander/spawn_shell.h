#pragma once
// Starts a shell with a command, in a session of its own so that its children can be ended with it.

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::tools::commander {

struct ShellProcess {
  pid_t pid = -1;
  UniqueFd input, output, error;  // our ends; none of them blocks
};

Result<ShellProcess> SpawnShell(const std::string& shell,
                                const std::string& command,
                                const std::string& folder);

}  // namespace viv::tools::commander
