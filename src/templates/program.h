#pragma once
// A long-running program of the host, watched line by line.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "templates/templates.h"

namespace viv::templates {

// Gives each line it writes to `progress` and waits for its end. kUnavailable, naming the package
// to install, when there is no such program; kInternal with its last words when it fails or takes
// longer. `check` is asked about once a second: its first error ends the program and is the answer.
// The program inherits nothing but its output: no descriptor, no variable, no blocked signal.
using ProgramCheck = std::function<Status()>;
Status RunProgram(const std::vector<std::string>& command,
                  const Progress& progress,
                  std::chrono::seconds timeout,
                  const ProgramCheck& check = nullptr);

}  // namespace viv::templates
