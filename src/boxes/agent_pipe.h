#pragma once
// Runs programs in a box for the server: with byte streams as standard input and standard output,
// or in the background.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "base/unique_fd.h"

namespace viv::boxes {

struct AgentProgram {
  std::vector<std::string> arguments;  // the first is the program
  std::string user = "user";
  std::string folder = "/";
};

// Returns the next bytes, or an empty string at the end. What it refers to outlives it.
using ByteSource = std::function<Task<Result<std::string>>()>;
using ByteSink = std::function<Task<Status>(std::string piece)>;

// Runs the program to its exit over a connection to the agent. kInvalidArgument with its standard
// error when it failed before it wrote any output; kUnavailable when it failed later or the box
// went away: then the sink has received only a part of the output.
Task<Status> RunPiped(UniqueFd connection,
                      std::string token,
                      AgentProgram program,
                      ByteSource input,  // empty: no input
                      ByteSink output);

struct BackgroundCommand {
  std::string id;  // identifies the command to the agent
  AgentProgram program;
  std::map<std::string, std::string> variables;
};
// Returns once the command runs; the command continues without this process.
Task<Status> StartInBackground(UniqueFd connection, std::string token, BackgroundCommand command);

}  // namespace viv::boxes
