#pragma once
// The host's side of a box's agent, over a connection from BoxHost::DialAgent.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "base/unique_fd.h"
#include "boxes/boxes.h"

namespace viv::boxes {

struct AgentSetup {
  std::string token;
  std::map<std::string, std::string> variables;
  std::string user;
  std::string workdir;  // empty: the user's home
};

Task<Status> SetUpAgent(UniqueFd connection, AgentSetup setup);
// Counts the commands and processes that callers started and that have not exited.
Task<Result<std::size_t>> CountRunning(UniqueFd connection, std::string token);
Task<Result<std::vector<LogEntry>>> ReadAgentLogs(UniqueFd connection, std::string token);

}  // namespace viv::boxes
