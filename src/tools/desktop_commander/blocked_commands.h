#pragma once
// Which programs a shell command starts, as far as one can tell without running it, to compare them
// with the commands that the configuration blocks. A shell has many ways around such a list; it
// keeps an agent from accidents, while the box keeps it from harm.

#include <string>
#include <string_view>
#include <vector>

namespace viv::tools::commander {

// The names of the programs, in lower case, each once.
std::vector<std::string> CommandsIn(std::string_view line);

bool IsBlocked(std::string_view line, const std::vector<std::string>& blocked);

}  // namespace viv::tools::commander
