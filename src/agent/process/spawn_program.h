#pragma once
// Spawns a program in the box: checks its folder and environment, finds the program in PATH, makes
// its pipes or terminal, and calls CloneAndExec. Errors are worded for the caller.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "agent/context.h"
#include "agent/process/channels.h"
#include "agent/process/environment.h"
#include "rpc/connect/rpc_error.h"

namespace viv::agent {

struct ProgramSpec {
  User user;
  std::vector<std::string> arguments;  // the first is the program, looked for in PATH
  std::string folder;                  // absolute
  Variables variables;                 // over those of the box
  StandardInput input = StandardInput::kNone;
  std::optional<TerminalSize> terminal;  // instead of pipes
};

struct SpawnedProgram {
  pid_t pid = -1;
  Channels channels;
};

// Refused: a missing folder, an unknown program or a bad variable as kInvalidArgument, a box that
// is out of processes, memory, descriptors or terminals as kResourceExhausted. The caller reaps the
// child.
connect::RpcResult<SpawnedProgram> SpawnProgram(Context& context, ProgramSpec request);

}  // namespace viv::agent
