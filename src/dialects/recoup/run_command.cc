#include "dialects/recoup/runs.h"

namespace viv::recoup {
namespace {

RunEnd EndOfCommand(const Execution& execution, const ExecutionEnd& end) {
  json::object output{{"stdout", execution.output.Text()}, {"stderr", execution.errors.Text()}};
  switch (end.kind) {
    case ExecutionEnd::Kind::kExited:
      output["exitCode"] = end.exit_code;
      return {.status = "COMPLETED", .output = std::move(output)};
    case ExecutionEnd::Kind::kRefused:
      return {.status = "FAILED", .error = end.message};
    case ExecutionEnd::Kind::kLost:
      break;
  }
  output["exitCode"] = nullptr;
  return {.status = "CRASHED", .output = std::move(output), .error = end.message};
}

// Puts the output on record before the agent may forget it.
Task<Status> KeepOutput(Context& context, TaskRun& run, const Execution& execution) {
  run.stdout_kept = execution.output;
  run.stderr_kept = execution.errors;
  run.stdout_kept.Trim();
  run.stderr_kept.Trim();
  run.updated_at_us = context.clock() * 1000;
  co_return co_await context.runs.Put(WriteRun(run));
}

}  // namespace

Task<void> RunCommand(Context& context, TaskRun run) {
  Execution execution{.box_id = run.box_id, .id = run.id, .command = run.command, .cwd = run.cwd};
  execution.may_be_known = run.status == "EXECUTING";
  if (!execution.may_be_known && !co_await MarkExecuting(context, run)) co_return;
  execution.begun_at_us = run.started_at_us.value_or(0);
  execution.output = run.stdout_kept;
  execution.errors = run.stderr_kept;
  execution.keep = [&context, &run](const Execution& now) { return KeepOutput(context, run, now); };
  ExecutionEnd end = co_await Follow(context.boxes, execution);
  RunEnd run_end = EndOfCommand(execution, end);
  co_await MarkEnded(context, run, std::move(run_end));
}

}  // namespace viv::recoup
