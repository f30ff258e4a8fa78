#pragma once
// Runs a program of the host once, at start: mkfs. Never on the path of a box.

#include <string>
#include <vector>

#include "base/result.h"

namespace viv::storage {

// kUnavailable when there is no such program, kInternal with its first line of output when it
// fails.
Status RunCommand(const std::vector<std::string>& command);

}  // namespace viv::storage
