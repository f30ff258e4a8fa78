#pragma once
// A command line taken apart: into words as a POSIX shell quotes them, and into commands at the
// operators between them.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::tools::terminal {

// Quotes and backslashes as in a shell; nothing is expanded and '#' begins no comment. Fails with
// kInvalidArgument ("No closing quotation", "No escaped character").
Result<std::vector<std::string>> SplitWords(std::string_view line);

struct Part {
  std::string text;  // trimmed, never empty
  bool is_operator = false;
};

// At every operator, also at those within quotes: who writes one there is told so. ">>" and "<<"
// come as two parts each.
std::vector<Part> SplitAtOperators(std::string_view line);

// The operator that a message should name; empty: there is none.
std::string_view FirstOperator(std::string_view line);

}  // namespace viv::tools::terminal
