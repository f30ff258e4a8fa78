#pragma once
// The message of an errno in Go's words, which E2B's clients expect: "no such file or directory".

#include <string>

namespace viv::agent {

std::string ErrnoText(int code);

}  // namespace viv::agent
