#pragma once
// Runs a program on a PDF. A PDF can be made to cost any amount of time and memory, so the program
// has limits on both, and on what it may write.

#include <atomic>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/kit/run.h"

namespace viv::tools::pdf {

struct LimitedCommand {
  std::vector<std::string> arguments;  // the first is the program
  std::string package;                 // the Debian package that has it
  std::size_t output_max = 16 << 20;
  const std::atomic<bool>& cancelled;
  std::string input = {};
  std::chrono::seconds time_max{60};
  std::string what = "file";  // that it would take too long for
};

// kUnavailable when the program is not installed, was stopped at a limit, or the call was given up.
Result<RunResult> RunLimited(const LimitedCommand& command);

}  // namespace viv::tools::pdf
