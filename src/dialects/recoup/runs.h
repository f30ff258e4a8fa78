#pragma once
// Starts and executes runs. A run is recorded before the response to its request; the background
// executes it, also after a restart.

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "dialects/recoup/context.h"
#include "dialects/recoup/run_record.h"

namespace viv::recoup {

// Records the run and queues it for the background. kLimitExceeded when the account has too many
// unfinished runs; the oldest finished ones are removed.
Task<Status> StartRun(Context& context, TaskRun run);

// A run of `task` for the account, with its id and times; nothing is kept yet.
TaskRun NewRun(const Context& context, const std::string& account_id, std::string_view task);

// Executes one run in the background.
Task<void> RunCommand(Context& context, TaskRun run);
Task<void> RunSetup(Context& context, TaskRun run);

// Shared by them. Both record the run; a failure is logged.
Task<bool> MarkExecuting(Context& context, TaskRun& run);
struct RunOutcome {
  std::string status;
  json::value output = nullptr;
  std::string error = {};
};
Task<void> MarkEnded(Context& context, TaskRun& run, RunOutcome end);

}  // namespace viv::recoup
