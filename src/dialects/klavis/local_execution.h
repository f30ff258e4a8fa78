#pragma once
// Executions: a named program that a client uploads (a tar.gz with main.py, perhaps
// requirements.txt and packages.txt) and that runs in a local sandbox on its own. Everything about
// one is in files of the box, so that it outlives this server: /executions/NAME is its folder,
// /executions/.state/NAME has its output and how it ended. An execution runs while its lock there
// is held.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "boxes/agent_pipe.h"

namespace viv::klavis {

// Up to 64 letters, digits, '.', '-' and '_', the first a letter or digit: it becomes a folder.
bool IsExecutionName(std::string_view name);
std::string ExecutionFolder(const std::string& name);

boxes::AgentProgram RemoveExecution(const std::string& name);
boxes::BackgroundCommand RunExecution(const std::string& name);

// Prints a status, a line's end, and the output from the byte `cursor` on.
boxes::AgentProgram ReadExecution(const std::string& name, std::int64_t cursor);
inline constexpr std::size_t kExecutionReadMax = (8 << 20) + 64;  // what it prints at most

struct ExecutionProgress {
  std::string status;  // pending, running, completed or failed
  std::string logs;    // whole characters
  std::int64_t cursor = 0;
};
// What ReadExecution printed. An incomplete character at the end is held back while more output may
// come.
Result<ExecutionProgress> ReadProgress(std::string_view printed, std::int64_t cursor);

// The names of executions, stored in the sandbox's annotation; the oldest are dropped when there
// are too many.
bool HasExecution(const json::object& dialect_data, std::string_view name);
void AddExecution(json::object& dialect_data, const std::string& name);

}  // namespace viv::klavis
