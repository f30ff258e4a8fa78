#pragma once
// Runs a program to its exit: its output is kept up to a limit and discarded beyond it, so that
// much output neither blocks the program nor fills our memory; at its time limit, or when the
// caller cancels, its whole process group is killed.

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace viv::tools {

struct RunRequest {
  std::vector<std::string> arguments;            // the first is the program, looked for in PATH
  std::string folder;                            // empty: ours
  std::map<std::string, std::string> variables;  // over our own
  std::string input;
  std::chrono::milliseconds time_max{30'000};
  std::size_t output_max = 10 << 20;  // of each stream
  const std::atomic<bool>* cancelled = nullptr;
  // What happens to processes that it started and that outlive it.
  enum class Leftovers { kEnd, kKeep } leftovers = Leftovers::kEnd;
};

struct RunResult {
  int exit_code = 0;  // 128 + signal when a signal ended it
  bool timed_out = false;
  bool cancelled = false;
  std::string output, error;
  bool output_cut = false, error_cut = false;
};

// kNotFound when there is no such program, kInvalidArgument for a folder that is not there.
Result<RunResult> Run(const RunRequest& request);

// Where the program lies, by PATH; empty: nowhere.
std::string FindProgram(std::string_view name);

}  // namespace viv::tools
