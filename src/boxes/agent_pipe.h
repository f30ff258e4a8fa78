#pragma once
// Programs that a box runs for the server: with a stream of bytes as their input and their output
// as another, or left to run on their own.

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

// The next bytes; none at the end. What it refers to lives as long as it does.
using ByteSource = std::function<Task<Result<std::string>>()>;
using ByteSink = std::function<Task<Status>(std::string piece)>;

// Runs it to its end over a connection to the agent. kInvalidArgument with what it said on standard
// error when it failed before it wrote anything; kUnavailable when it failed later or the box went
// away: then what the sink got is not all.
Task<Status> RunPiped(UniqueFd connection,
                      std::string token,
                      AgentProgram program,
                      ByteSource input,  // empty: no input
                      ByteSink output);

struct BackgroundCommand {
  std::string id;  // by which the agent knows it
  AgentProgram program;
  std::map<std::string, std::string> variables;
};
// Returns once it runs; it goes on without us.
Task<Status> StartInBackground(UniqueFd connection, std::string token, BackgroundCommand command);

}  // namespace viv::boxes
