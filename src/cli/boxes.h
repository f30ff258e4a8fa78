#pragma once
// Boxes from the command line, through the same public API that everybody uses.

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/remote.h"

namespace viv::cli {

struct NewBox {
  std::string from = "base";  // a template's or snapshot's name or id
  std::int64_t timeout_seconds = 3600;
  bool pause_at_end = false;  // instead of ending it
  bool offline = false;
  std::vector<std::string> variables;  // NAME=VALUE
};

// NAME=VALUE each.
Result<json::object> VariablesOf(const std::vector<std::string>& list);

// The box's id.
Result<std::string> MakeBox(const Remote& remote, const NewBox& options);

int CreateBox(const Remote& remote, const NewBox& options);
// As E2B describes them; none on a server without boxes.
json::array FetchBoxes(const Remote& remote, std::size_t limit);
void PrintBoxes(const json::array& boxes);
int RemoveBoxes(const Remote& remote, const std::vector<std::string>& ids);
int PauseBox(const Remote& remote, const std::string& id, bool drop_memory);
int ResumeBox(const Remote& remote, const std::string& id, std::int64_t timeout_seconds);
int SnapshotBox(const Remote& remote, const std::string& id, const std::string& name);
int ForkBox(const Remote& remote,
            const std::string& id,
            std::size_t count,
            std::int64_t timeout_seconds);
int ShowBoxLogs(const Remote& remote, const std::string& id);
int ShowBoxStats(const Remote& remote, const std::vector<std::string>& ids);

}  // namespace viv::cli
