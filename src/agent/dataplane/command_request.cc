#include "agent/dataplane/command_request.h"

#include <algorithm>
#include <cctype>

#include "http/fields.h"

namespace viv::agent {
namespace {

constexpr double kSecondsMax = 10.0 * 365 * 24 * 3600;  // more than that is that much
constexpr std::size_t kCommandVariablesMax = 10'000;
constexpr std::size_t kCommandArgumentsMax = 10'000;
constexpr std::size_t kCommandIdBytesMax = 128;

// A duration in seconds, whole or not. `never` stands for none at all.
struct SecondsMember {
  std::string_view name;
  double otherwise;
  double never;
  double least;
};

std::optional<CommandRequest::Duration> ReadSeconds(const json::value& body,
                                                    SecondsMember member,
                                                    http::Fields& fields) {
  const json::value* value = Find(body, member.name);
  double seconds = member.otherwise;
  if (value != nullptr && !value->is_null()) {
    if (!value->is_number()) {
      fields.Refuse(std::string(member.name) + ": a number of seconds is expected");
      return std::nullopt;
    }
    seconds = value->to_number<double>();
  }
  if (seconds == member.never) return std::nullopt;
  if (!(seconds >= member.least)) {
    fields.Refuse(std::string(member.name) + ": a number of at least " +
                  std::to_string(static_cast<int>(std::min(member.least, member.never))) +
                  " is expected");
    return std::nullopt;
  }
  double milliseconds = std::min(seconds, kSecondsMax) * 1000;
  return CommandRequest::Duration(
      std::max<std::int64_t>(static_cast<std::int64_t>(milliseconds), seconds > 0 ? 1 : 0));
}

void ReadCommandText(const json::value& body, CommandRequest& request, http::Fields& fields) {
  const json::value* command = Find(body, "command");
  if (command != nullptr && command->is_array()) {
    request.arguments = fields.List("command");
    if (request.arguments.empty() || request.arguments[0].empty()) {
      fields.Refuse("command: a list begins with the program");
    }
    if (request.arguments.size() > kCommandArgumentsMax)
      fields.Refuse("command: the list is too long");
    return;
  }
  if (command != nullptr && !command->is_null() && !command->is_string()) {
    fields.Refuse("command: text or a list of texts is expected");
  }
  request.command = fields.Text("command").value_or("");
  if (request.command.empty() && !request.pty) fields.Refuse("command: it is missing");
}

// Where and as whom it runs: run_config, or the older env and cwd, never both.
Status ReadRunConfig(const json::value& body, CommandRequest& request, http::Fields& fields) {
  const json::object* config = fields.Object("run_config");
  request.variables = fields.Texts("env");
  std::optional<std::string> folder = fields.Text("cwd");
  RETURN_IF_ERROR(fields.status());
  request.folder = folder.value_or("");
  if (config == nullptr) return {};
  auto is_given = [&](std::string_view name) {
    const json::value* value = Find(body, name);
    return value != nullptr && !value->is_null();
  };
  if (is_given("env") || is_given("cwd")) {
    return Fail(ErrorCode::kInvalidArgument,
                "run_config cannot be combined with env or cwd: use run_config.env_vars and "
                "run_config.work_dir");
  }
  http::Fields inner(*config, "run_config");
  request.user = inner.Text("user").value_or("");
  request.folder = inner.Text("work_dir").value_or("");
  request.variables = inner.Texts("env_vars");
  return inner.status();
}

std::uint16_t TerminalSide(http::Fields& fields, std::string_view name, std::uint16_t otherwise) {
  std::optional<std::int64_t> value = fields.Integer(name, 0, 65'535);
  return static_cast<std::uint16_t>(value.value_or(otherwise));
}

}  // namespace

bool IsCommandId(std::string_view id) {
  auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_.:").find(c) != std::string_view::npos;
  };
  return !id.empty() && id.size() <= kCommandIdBytesMax && std::all_of(id.begin(), id.end(), fits);
}

Result<CommandRequest> ReadCommandRequest(const json::value& body) {
  CommandRequest request;
  http::Fields fields(body, "");
  request.id = fields.Text("command_id").value_or("");
  if (!request.id.empty() && !IsCommandId(request.id)) {
    fields.Refuse("command_id: up to 128 letters, digits, '-', '_', '.' or ':' are expected");
  }
  request.pty = fields.Flag("pty").value_or(false);
  request.close_stdin = fields.Flag("close_stdin").value_or(false);
  request.kill_on_disconnect = fields.Flag("kill_on_disconnect").value_or(false);
  request.shell = fields.Text("shell").value_or("");
  request.size.columns = TerminalSide(fields, "cols", request.size.columns);
  request.size.rows = TerminalSide(fields, "rows", request.size.rows);
  ReadCommandText(body, request, fields);
  // Clients of POST /execute say `timeout`.
  std::string_view timeout = Find(body, "timeout_seconds") ? "timeout_seconds" : "timeout";
  request.timeout = ReadSeconds(body, {timeout, 60, 0, 0}, fields);
  request.idle_timeout = ReadSeconds(body, {"idle_timeout_seconds", 300, -1, 0}, fields);
  request.ttl = ReadSeconds(body, {"ttl_seconds", 600, -1, 0}, fields);
  RETURN_IF_ERROR(fields.status());
  RETURN_IF_ERROR(ReadRunConfig(body, request, fields));
  if (request.variables.size() > kCommandVariablesMax) {
    return Fail(ErrorCode::kInvalidArgument, "at most 10000 variables are expected");
  }
  return request;
}

}  // namespace viv::agent
