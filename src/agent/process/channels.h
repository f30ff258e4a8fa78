#pragma once
// The descriptors between the agent and a process: pipes, or a terminal. Our ends never block.

#include <cstdint>

#include "agent/users.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::agent {

struct TerminalSize {
  std::uint16_t columns = 0;
  std::uint16_t rows = 0;
};

struct Channels {
  // The process's ends, closed once it runs.
  UniqueFd child_input;
  UniqueFd child_output;
  UniqueFd child_error;
  // Ours. A terminal has only `terminal`, a process without standard input no `input`.
  UniqueFd input;
  UniqueFd output;
  UniqueFd error;
  UniqueFd terminal;
};

enum class StandardInput { kNone, kPipe };

// The error's code is kLimitExceeded when descriptors, memory or terminals ran out.
Result<Channels> MakePipes(StandardInput input);
Result<Channels> MakeTerminal(TerminalSize size, const User& owner);
Status ResizeTerminal(int terminal, TerminalSize size);

// Whether this errno means that the box has run out of a resource, so that a later try may succeed.
bool IsResourceExhausted(int error);

}  // namespace viv::agent
