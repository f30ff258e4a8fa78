#pragma once
// A run: a command in a sandbox, or the setup of an account, that goes on after its request was
// answered. It is kept until newer runs take its place.

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

  // How it is done; not shown.
  std::string box_id;
  std::string command;  // for the shell
  std::string cwd;
  OutputTail stdout_saved, stderr_saved;  // what the agent was told that it may forget

  bool is_finished() const { return status != "QUEUED" && status != "EXECUTING"; }
};

std::string NewRunId();

accounts::DocumentTable::Entry WriteRun(const TaskRun& run);
Result<TaskRun> ReadRun(const accounts::DocumentTable::Entry& entry);

enum class RunDetail { kListed, kWhole };
json::object ShowRun(const TaskRun& run, RunDetail detail);

}  // namespace viv::recoup
