#include "agent/process/start.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "agent/errno_text.h"
#include "agent/process/environment.h"
#include "agent/process/exit_status.h"
#include "agent/process/spawn.h"

namespace viv::agent {
namespace {

using connect::Code;

constexpr std::size_t kLoggedCommandBytesMax = 512;

std::uint16_t TerminalExtent(const json::value* size, std::string_view name) {
  const json::value* value = size ? Find(*size, name) : nullptr;
  if (value == nullptr || !value->is_int64()) return 0;
  constexpr std::int64_t kMost = std::numeric_limits<std::uint16_t>::max();
  return static_cast<std::uint16_t>(std::clamp<std::int64_t>(value->get_int64(), 0, kMost));
}

Variables RequestedVariables(const json::value& config) {
  Variables variables;
  const json::value* envs = Find(config, "envs");
  if (envs == nullptr || !envs->is_object()) return variables;
  for (const auto& [name, value] : envs->get_object()) {
    if (value.is_string()) variables[std::string(name)] = View(value.get_string());
  }
  return variables;
}

// The command line as people write it, for messages and the log.
std::string CommandText(const SpawnRequest& spawn) {
  std::string text;
  for (const std::string& argument : spawn.arguments) {
    if (!text.empty()) text += ' ';
    text += argument;
    if (text.size() > kLoggedCommandBytesMax) break;
  }
  return text;
}

// Everything about the child but its descriptors.
connect::Answer<SpawnRequest> PlanSpawn(const Context& context,
                                        const User& user,
                                        const json::value& config) {
  SpawnRequest spawn;
  spawn.user = user;
  spawn.folder = ResolvePath(context, user, FindString(config, "cwd"));
  spawn.arguments.emplace_back(FindString(config, "cmd"));
  if (const json::value* list = Find(config, "args"); list != nullptr && list->is_array()) {
    for (const json::value& item : list->get_array()) {
      spawn.arguments.emplace_back(item.is_string() ? View(item.get_string()) : "");
    }
  }
  auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (has_nul(spawn.folder) ||
      std::any_of(spawn.arguments.begin(), spawn.arguments.end(), has_nul)) {
    return connect::Refuse(Code::kInvalidArgument, "a NUL character in cmd, args or cwd");
  }
  struct stat info {};
  if (::stat(spawn.folder.c_str(), &info) != 0 && errno == ENOENT) {
    return connect::Refuse(Code::kInvalidArgument, "cwd '" + spawn.folder + "' does not exist");
  }
  Result<Variables> variables = EnvironmentFor(context, user, RequestedVariables(config));
  if (!variables) return connect::Refuse(Code::kInvalidArgument, variables.error().message);
  Result<std::string> program = FindProgram(spawn.arguments[0], (*variables)["PATH"]);
  if (!program) {
    return connect::Refuse(Code::kInvalidArgument, "error starting process '" + CommandText(spawn) +
                                                       "': " + program.error().message);
  }
  spawn.program = *std::move(program);
  spawn.environment = AsAssignments(*variables);
  return spawn;
}

tl::unexpected<connect::Failure> SpawnRefused(const SpawnRequest& spawn, SpawnFailure failure) {
  std::string what;
  switch (failure.step) {
    case SpawnStep::kFolder:
      what = "chdir " + spawn.folder;
      break;
    case SpawnStep::kUser:
      what = "become user " + spawn.user.name;
      break;
    case SpawnStep::kTerminal:
      what = "take the terminal";
      break;
    default:
      what = "fork/exec " + spawn.program;
  }
  return connect::Refuse(
      IsExhaustion(failure.error) ? Code::kResourceExhausted : Code::kInvalidArgument,
      "error starting process '" + CommandText(spawn) + "': " + what + ": " +
          ErrnoText(failure.error));
}

Result<Channels> OpenChannels(const json::object& request, const User& user) {
  if (const json::value* pty = request.if_contains("pty")) {
    return MakeTerminal(ReadTerminalSize(*pty), user);
  }
  const json::value* input = request.if_contains("stdin");
  bool wanted = input == nullptr || !input->is_bool() || input->get_bool();
  return MakePipes(wanted ? StandardInput::kPipe : StandardInput::kNone);
}

}  // namespace

TerminalSize ReadTerminalSize(const json::value& pty) {
  const json::value* size = Find(pty, "size");
  return {TerminalExtent(size, "cols"), TerminalExtent(size, "rows")};
}

connect::Answer<std::shared_ptr<Process>> StartProcess(Context& context,
                                                       const User& user,
                                                       const json::object& request,
                                                       std::uint64_t sequence,
                                                       asio::any_io_executor executor) {
  const json::value* config = request.if_contains("process");
  if (config == nullptr || FindString(*config, "cmd").empty()) {
    return connect::Refuse(Code::kInvalidArgument, "process.cmd is missing");
  }
  connect::Answer<SpawnRequest> spawn = PlanSpawn(context, user, *config);
  if (!spawn) return tl::unexpected<connect::Failure>(spawn.error());
  Result<Channels> channels = OpenChannels(request, user);
  if (!channels) {
    bool exhausted = channels.error().code == ErrorCode::kLimitExceeded;
    return connect::Refuse(
        exhausted ? Code::kResourceExhausted : Code::kInternal,
        "error starting process '" + CommandText(*spawn) + "': " + channels.error().message);
  }
  spawn->input = channels->child_input.get();
  spawn->output = channels->child_output.get();
  spawn->error = channels->child_error.get();
  if (channels->terminal) spawn->terminal = SpawnRequest::Terminal::kInput;
  auto pid = Spawn(*spawn);
  if (!pid) return SpawnRefused(*spawn, pid.error());
  Process::Facts facts{
      .pid = *pid, .sequence = sequence, .config = config->get_object(), .tag = {}};
  if (const json::value* tag = request.if_contains("tag"); tag != nullptr && tag->is_string()) {
    facts.tag = View(tag->get_string());
  }
  context.logs.Add(LogRing::Level::kInfo, "Process with pid " + std::to_string(*pid) + " started",
                   {{"event_type", "process_start"},
                    {"pid", *pid},
                    {"command", CommandText(*spawn).substr(0, kLoggedCommandBytesMax)},
                    {"user", user.name}});
  return std::make_shared<Process>(executor, std::move(facts), *std::move(channels), context.logs);
}

}  // namespace viv::agent
