#pragma once
// Checks a command line against a policy and returns how to run it.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/terminal/policy.h"

namespace viv::tools::terminal {

// The arguments of the program to run: the command itself, with its paths made absolute, or a shell
// when operators join several. Refused with kPermissionDenied and the reason.
Result<std::vector<std::string>> Authorize(const Policy& policy,
                                           const std::string& folder,
                                           const std::string& command);

}  // namespace viv::tools::terminal
