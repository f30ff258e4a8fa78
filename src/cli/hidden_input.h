#pragma once
// A secret from standard input: typed without being shown, or piped in whole.

#include <string>

#include "base/result.h"

namespace viv::cli {

// `prompt` is shown on a terminal, where a line is read; of a pipe everything is, without one line
// end at its end. kInvalidArgument when it is empty or larger than 64 KiB, or when Ctrl-C is typed.
Result<std::string> ReadHidden(const std::string& prompt);

}  // namespace viv::cli
