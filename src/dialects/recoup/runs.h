#pragma once
// Starting runs and carrying them out. A run is on record before its request is answered; the
// background takes it from there, and from the record again after a restart.

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "dialects/recoup/context.h"
#include "dialects/recoup/run_record.h"

namespace viv::recoup {

// Puts it on record and hands it to the background. kLimitExceeded when the account has too many
// that are not over; the oldest ones that are make room.
Task<Status> StartRun(Context& context, TaskRun run);

// A run of `task` for the account, with its id and times; nothing is kept yet.
TaskRun NewRun(const Context& context, const std::string& account_id, std::string_view task);

// What the background does for one run.
Task<void> RunCommand(Context& context, TaskRun run);
Task<void> RunSetup(Context& context, TaskRun run);

// Shared by them. Both put the run on record; a failure is logged.
Task<bool> MarkExecuting(Context& context, TaskRun& run);
struct RunOutcome {
  std::string status;
  json::value output = nullptr;
  std::string error = {};
};
Task<void> MarkEnded(Context& context, TaskRun& run, RunOutcome end);

}  // namespace viv::recoup
