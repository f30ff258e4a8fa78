#pragma once
// Detects what a process is doing by the end of its output: waiting at a prompt, finished (as its
// output says), or running. And its output without prompts and echo, for the answer to an input.

#include <string>
#include <string_view>

namespace viv::tools::commander {

struct ProcessState {
  bool waiting = false;
  bool finished = false;
  std::string prompt;  // the one that was seen
};

ProcessState DetectState(std::string_view output);

// "Process 7 is waiting for input (detected: ">>>")"
std::string DescribeState(const ProcessState& state, int pid);

std::string WithoutPrompts(std::string_view output, std::string_view input);

}  // namespace viv::tools::commander
