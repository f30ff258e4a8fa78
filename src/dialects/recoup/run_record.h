#pragma once
// A run: a command in a sandbox, or the setup of an account, that continues after the response to
// its request. It is stored until newer runs replace it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "accounts/document_table.h"
#include "base/json.h"
#include "base/result.h"
#include "dialects/recoup/execution.h"

namespace viv::recoup {

inline constexpr std::string_view kCommandTask = "run-sandbox-command";
inline constexpr std::string_view kSetupTask = "setup-sandbox";

struct TaskRun {
  std::string id;  // "run_" and 20 of [a-z0-9]
  std::string account_id;
  std::string account_uuid;
  std::string task;
  std::string status = "QUEUED";  // then EXECUTING, then COMPLETED, FAILED or CRASHED
  std::int64_t created_at_us = 0;
  std::int64_t updated_at_us = 0;
  std::optional<std::int64_t> started_at_us;
  std::optional<std::int64_t> finished_at_us;
  json::value payload = nullptr;  // what was asked for
  json::value output = nullptr;
  std::string error;  // empty: none

  // Used for the execution; not shown.
  std::string box_id;
  std::string command;  // for the shell
  std::string cwd;
  OutputTail stdout_saved, stderr_saved;  // output that was acknowledged to the agent

  bool is_finished() const { return status != "QUEUED" && status != "EXECUTING"; }
};

std::string NewRunId();

accounts::DocumentTable::Entry WriteRun(const TaskRun& run);
Result<TaskRun> ReadRun(const accounts::DocumentTable::Entry& entry);

enum class RunDetail { kListed, kWhole };
json::object ShowRun(const TaskRun& run, RunDetail detail);

}  // namespace viv::recoup
