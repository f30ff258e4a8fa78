#pragma once
// A program's run as Node's child_process.exec reports it, for the servers whose originals are
// written with it: a failure is one text, "Command failed: COMMAND" and what the program said on
// its error stream; too much output is a failure too.

#include <string>

#include "tools/kit/run.h"

namespace viv::tools {

struct ExecResult {
  std::string failure;  // empty: it ran and exited with 0
  std::string output, error;
};

constexpr std::size_t kExecOutputMax = 1 << 20;  // of each stream, as Node's maxBuffer

// `shown` is the command as the failure names it.
ExecResult Exec(RunRequest request, const std::string& shown);

}  // namespace viv::tools
