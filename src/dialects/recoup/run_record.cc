#include "dialects/recoup/run_record.h"

#include <algorithm>

#include "base/base64.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "boxes/box_ids.h"
#include "dialects/recoup/shapes.h"

namespace viv::recoup {
namespace {

json::value RunTime(const std::optional<std::int64_t>& micros) {
  return micros ? json::value(IsoMs(*micros)) : json::value(nullptr);
}

std::string RunText(const json::value& body, std::string_view name) {
  return std::string(FindString(body, name));
}

json::value RunMember(const json::value& body, std::string_view name) {
  const json::value* found = Find(body, name);
  return found == nullptr ? json::value(nullptr) : *found;
}

json::object WriteTail(const OutputTail& tail) {
  return {{"bytes", EncodeBase64(tail.bytes)}, {"end", tail.end}};
}

OutputTail ReadTail(const json::value& body, std::string_view name) {
  OutputTail tail;
  const json::value* found = Find(body, name);
  if (found == nullptr) return tail;
  tail.bytes = DecodeBase64(FindString(*found, "bytes")).value_or("");
  const json::value* end = Find(*found, "end");
  if (end != nullptr && end->is_int64()) tail.end = end->get_int64();
  return tail;
}

std::int64_t DurationMs(const TaskRun& run) {
  if (!run.started_at_us) return 0;
  const std::int64_t end = run.finished_at_us.value_or(run.updated_at_us);
  return std::max<std::int64_t>((end - *run.started_at_us) / 1000, 0);
}

json::value ShowRunError(const TaskRun& run) {
  if (run.error.empty()) return nullptr;
  return json::object{{"name", "Error"}, {"message", Printable(run.error, 4096)}};
}

// One try is all there is: a command is not repeated.
json::array ShowAttempts(const TaskRun& run) {
  if (!run.started_at_us) return {};
  json::object attempt{
      {"id", "attempt_" + run.id.substr(run.id.find('_') + 1)},
      {"status", run.status},
      {"createdAt", IsoMs(*run.started_at_us)},
      {"updatedAt", IsoMs(run.updated_at_us)},
      {"startedAt", RunTime(run.started_at_us)},
      {"completedAt", RunTime(run.finished_at_us)},
      {"error", ShowRunError(run)},
  };
  return {std::move(attempt)};
}

}  // namespace

std::string NewRunId() {
  return "run_" + boxes::NewTemplateId();
}

accounts::DocumentTable::Entry WriteRun(const TaskRun& run) {
  json::object body{
      {"account_uuid", run.account_uuid},
      {"task", run.task},
      {"status", run.status},
      {"created_at", TimeText(run.created_at_us)},
      {"updated_at", TimeText(run.updated_at_us)},
      {"payload", run.payload},
      {"output", run.output},
      {"error", Printable(run.error, 4096)},
      {"box_id", run.box_id},
      {"command", run.command},
      {"cwd", run.cwd},
  };
  if (run.started_at_us) body["started_at"] = TimeText(*run.started_at_us);
  if (run.finished_at_us) body["finished_at"] = TimeText(*run.finished_at_us);
  if (run.stdout_saved.end > 0) body["stdout"] = WriteTail(run.stdout_saved);
  if (run.stderr_saved.end > 0) body["stderr"] = WriteTail(run.stderr_saved);
  return {run.id, run.account_id, std::move(body)};
}

Result<TaskRun> ReadRun(const accounts::DocumentTable::Entry& entry) {
  const json::value& body = entry.body;
  TaskRun run;
  run.id = entry.id;
  run.account_id = entry.account_id;
  run.account_uuid = RunText(body, "account_uuid");
  run.task = RunText(body, "task");
  run.status = RunText(body, "status");
  std::optional<std::int64_t> created = ParseTime(FindString(body, "created_at"));
  if (!created || run.task.empty() || run.status.empty())
    return Fail(ErrorCode::kInternal, "run " + entry.id + " has an unreadable record");
  run.created_at_us = *created;
  run.updated_at_us = ParseTime(FindString(body, "updated_at")).value_or(*created);
  run.started_at_us = ParseTime(FindString(body, "started_at"));
  run.finished_at_us = ParseTime(FindString(body, "finished_at"));
  run.payload = RunMember(body, "payload");
  run.output = RunMember(body, "output");
  run.error = RunText(body, "error");
  run.box_id = RunText(body, "box_id");
  run.command = RunText(body, "command");
  run.cwd = RunText(body, "cwd");
  run.stdout_saved = ReadTail(body, "stdout");
  run.stderr_saved = ReadTail(body, "stderr");
  return run;
}

json::object ShowRun(const TaskRun& run, RunDetail detail) {
  json::object shown{
      {"id", run.id},
      {"status", run.status},
      {"taskIdentifier", run.task},
      {"createdAt", IsoMs(run.created_at_us)},
      {"updatedAt", IsoMs(run.updated_at_us)},
      {"startedAt", RunTime(run.started_at_us)},
      {"finishedAt", RunTime(run.finished_at_us)},
      {"tags", json::array{"account:" + run.account_uuid}},
      {"metadata", nullptr},
      {"durationMs", DurationMs(run)},
      {"costInCents", 0},
  };
  if (detail == RunDetail::kListed) return shown;
  shown["payload"] = run.payload;
  shown["output"] = run.output;
  shown["error"] = ShowRunError(run);
  shown["attempts"] = ShowAttempts(run);
  return shown;
}

}  // namespace viv::recoup
