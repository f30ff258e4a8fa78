#include "cli/boxes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/output.h"
#include "cli/print_error.h"

namespace viv::cli {
namespace {

constexpr std::size_t kBoxPage = 100;

std::string BoxPath(const std::string& id, std::string_view rest = "") {
  return "/sandboxes/" + PercentEncode(id) + std::string(rest);
}

}  // namespace

Result<json::object> VariablesOf(const std::vector<std::string>& list) {
  json::object variables;
  for (const std::string& it : list) {
    std::size_t equals = it.find('=');
    if (equals == std::string::npos || equals == 0)
      return Fail(ErrorCode::kInvalidArgument, "--env: NAME=VALUE is expected, not '" + it + "'");
    variables[it.substr(0, equals)] = it.substr(equals + 1);
  }
  return variables;
}

Result<std::string> MakeBox(const Remote& remote, const NewBox& options) {
  json::object body;
  body["templateID"] = options.from;
  body["timeout"] = options.timeout_seconds;
  body["autoPause"] = options.pause_at_end;
  if (options.offline) body["allow_internet_access"] = false;
  ASSIGN_OR_RETURN(json::object variables, VariablesOf(options.variables));
  body["envVars"] = std::move(variables);
  ASSIGN_OR_RETURN(json::value made, CallServer(remote, "POST", "/v2/sandboxes", WriteJson(body)));
  return std::string(FindString(made, "sandboxID"));
}

int CreateBox(const Remote& remote, const NewBox& options) {
  auto id = MakeBox(remote, options);
  if (!id) return PrintError(id.error());
  fmt::print("{}\n", *id);
  return 0;
}

json::array FetchBoxes(const Remote& remote, std::size_t limit) {
  json::array all;
  std::string after;
  while (all.size() < limit) {
    const std::size_t count = std::min<std::size_t>(limit - all.size(), kBoxPage);
    std::string path = "/v2/sandboxes?limit=" + std::to_string(count);
    if (!after.empty()) path += "&nextToken=" + PercentEncode(after);
    auto page = CallServerForPage(remote, path);
    if (!page || !page->body.is_array() || page->body.get_array().empty()) break;
    for (json::value& box : page->body.get_array()) all.push_back(std::move(box));
    after = std::move(page->next);
    if (after.empty()) break;
  }
  return all;
}

void PrintBoxes(const json::array& boxes) {
  if (boxes.empty()) return;
  fmt::print("{:<21}  {:<16}  {:<8}  {:<19}  {:<19}\n", "BOX", "TEMPLATE", "STATE", "STARTED",
             "ENDS");
  for (const json::value& box : boxes) {
    std::string_view name = FindString(box, "alias");
    if (name.empty()) name = FindString(box, "templateID");
    std::string_view state = FindString(box, "state");
    fmt::print("{:<21}  {:<16}  {:<8}  {:<19}  {:<19}\n", FindString(box, "sandboxID"), name, state,
               FindString(box, "startedAt").substr(0, 19),
               state == "running" ? FindString(box, "endAt").substr(0, 19) : "-");
  }
  fmt::print("\n");
}

int RemoveBoxes(const Remote& remote, const std::vector<std::string>& ids) {
  int code = 0;
  for (const std::string& id : ids) {
    auto removed = CallServer(remote, "DELETE", BoxPath(id));
    if (!removed) code = PrintError(removed.error());
  }
  return code;
}

int PauseBox(const Remote& remote, const std::string& id, bool drop_memory) {
  json::object body;
  body["memory"] = !drop_memory;
  auto paused = CallServer(remote, "POST", BoxPath(id, "/pause"), WriteJson(body));
  return paused ? 0 : PrintError(paused.error());
}

int ResumeBox(const Remote& remote, const std::string& id, std::int64_t timeout_seconds) {
  json::object body;
  body["timeout"] = timeout_seconds;
  auto resumed = CallServer(remote, "POST", BoxPath(id, "/connect"), WriteJson(body));
  return resumed ? 0 : PrintError(resumed.error());
}

int SnapshotBox(const Remote& remote, const std::string& id, const std::string& name) {
  json::object body;
  if (!name.empty()) body["name"] = name;
  auto taken = CallServer(remote, "POST", BoxPath(id, "/snapshots"), WriteJson(body));
  if (!taken) return PrintError(taken.error());
  fmt::print("{}\n", FindString(*taken, "snapshotID"));
  return 0;
}

int ForkBox(const Remote& remote,
            const std::string& id,
            std::size_t count,
            std::int64_t timeout_seconds) {
  json::object body;
  body["count"] = count;
  body["timeout"] = timeout_seconds;
  auto forks = CallServer(remote, "POST", BoxPath(id, "/fork"), WriteJson(body));
  if (!forks) return PrintError(forks.error());
  int code = 0;
  for (const json::value& fork : forks->as_array()) {
    if (const json::value* box = Find(fork, "sandbox")) {
      fmt::print("{}\n", FindString(*box, "sandboxID"));
    } else if (const json::value* error = Find(fork, "error")) {
      code = PrintError({ErrorCode::kUnavailable, std::string(FindString(*error, "message"))});
    }
  }
  return code;
}

int ShowBoxLogs(const Remote& remote, const std::string& id) {
  auto response =
      CallServer(remote, "GET", "/v2" + BoxPath(id, "/logs?limit=1000&direction=forward"));
  if (!response) return PrintError(response.error());
  const json::value* logs = Find(*response, "logs");
  if (logs == nullptr || !logs->is_array()) return 0;
  for (const json::value& entry : logs->get_array()) {
    if (remote.json) {
      PrintJson(entry);
      continue;
    }
    fmt::print("{}  {:<5}  {}", FindString(entry, "timestamp").substr(0, 23),
               FindString(entry, "level"), FindString(entry, "message"));
    const json::value* fields = Find(entry, "fields");
    if (fields != nullptr && fields->is_object())
      for (const auto& [name, value] : fields->get_object())
        fmt::print("  {}={}", std::string_view(name), WriteJson(value));
    fmt::print("\n");
  }
  return 0;
}

int ShowBoxStats(const Remote& remote, const std::vector<std::string>& ids) {
  if (!remote.json) fmt::print("{:<21}  {:>7}  {:>17}  {:>19}\n", "BOX", "CPU", "MEMORY", "DISK");
  json::object newest;  // by box
  int code = 0;
  for (const std::string& id : ids) {
    auto response = CallServer(remote, "GET", BoxPath(id, "/metrics"));
    if (!response) {
      code = PrintError(response.error());
      continue;
    }
    const bool none = !response->is_array() || response->get_array().empty();
    if (remote.json) {
      newest[id] = none ? json::value() : response->get_array().back();
      continue;
    }
    if (none) {
      fmt::print("{:<21}  has no metrics yet: they are recorded every five seconds\n", id);
      continue;
    }
    const json::value& last = response->get_array().back();
    auto mebibytes = [&last](std::string_view name) {
      const json::value* found = Find(last, name);
      return found == nullptr ? 0 : found->to_number<double>() / (1 << 20);
    };
    const json::value* cpu = Find(last, "cpuUsedPct");
    fmt::print("{:<21}  {:>6.1f}%  {:>6.0f} / {:<5.0f}MiB  {:>6.0f} / {:<6.0f} MiB\n", id,
               cpu == nullptr ? 0 : cpu->to_number<double>(), mebibytes("memUsed"),
               mebibytes("memTotal"), mebibytes("diskUsed"), mebibytes("diskTotal"));
  }
  if (remote.json) PrintJson(newest);
  return code;
}

}  // namespace viv::cli
