#pragma once
// Runs a long-running program of the host and reads its output line by line.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "templates/templates.h"

namespace viv::templates {

// Passes each line of output to `progress` and waits for the program's end. kUnavailable, naming
// the package to install, when there is no such program; kInternal with its last lines when it
// fails or takes too long. `check` is called about once a second; its first error ends the program
// and is returned. The program inherits no descriptor but its output, no variable and no blocked
// signal.
using ProgramCheck = std::function<Status()>;
Status RunProgram(const std::vector<std::string>& command,
                  const Progress& progress,
                  std::chrono::seconds timeout,
                  const ProgramCheck& check = nullptr);

}  // namespace viv::templates
