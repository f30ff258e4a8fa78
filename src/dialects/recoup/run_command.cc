#include "dialects/recoup/runs.h"

namespace viv::recoup {
namespace {

RunOutcome EndOfCommand(const Execution& execution, const ExecutionResult& end) {
  json::object output{{"stdout", execution.output.Text()}, {"stderr", execution.errors.Text()}};
  switch (end.kind) {
    case ExecutionResult::Kind::kExited:
      output["exitCode"] = end.exit_code;
      return {.status = "COMPLETED", .output = std::move(output)};
    case ExecutionResult::Kind::kRefused:
      return {.status = "FAILED", .error = end.message};
    case ExecutionResult::Kind::kLost:
      break;
  }
  output["exitCode"] = nullptr;
  return {.status = "CRASHED", .output = std::move(output), .error = end.message};
}

// Saves the output before it is acknowledged to the agent.
Task<Status> SaveOutput(Context& context, TaskRun& run, const Execution& execution) {
  run.stdout_saved = execution.output;
  run.stderr_saved = execution.errors;
  run.stdout_saved.Trim();
  run.stderr_saved.Trim();
  run.updated_at_us = context.clock() * 1000;
  co_return co_await context.runs.Put(WriteRun(run));
}

}  // namespace

Task<void> RunCommand(Context& context, TaskRun run) {
  Execution execution{.box_id = run.box_id, .id = run.id, .command = run.command, .cwd = run.cwd};
  execution.may_have_started = run.status == "EXECUTING";
  if (!execution.may_have_started && !co_await MarkExecuting(context, run)) co_return;
  execution.begun_at_us = run.started_at_us.value_or(0);
  execution.output = run.stdout_saved;
  execution.errors = run.stderr_saved;
  execution.save = [&context, &run](const Execution& now) { return SaveOutput(context, run, now); };
  ExecutionResult end = co_await Follow(context.boxes, execution);
  RunOutcome run_end = EndOfCommand(execution, end);
  co_await MarkEnded(context, run, std::move(run_end));
}

}  // namespace viv::recoup
