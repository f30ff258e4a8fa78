#pragma once
// errno in the words of E2B's clients, which are Go's: "no such file or directory".

#include <string>

namespace viv::agent {

std::string ErrnoText(int code);

}  // namespace viv::agent
