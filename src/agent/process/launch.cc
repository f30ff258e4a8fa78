#include "agent/process/launch.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "agent/errno_text.h"
#include "agent/process/spawn.h"
#include "base/text.h"

namespace viv::agent {
namespace {

using connect::Code;

constexpr std::size_t kLoggedCommandBytesMax = 512;

// The command line as people write it, for messages and the log.
std::string CommandText(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& argument : arguments) {
    if (!text.empty()) text += ' ';
    text += argument;
    if (text.size() > kLoggedCommandBytesMax) break;
  }
  return viv::Printable(text, kLoggedCommandBytesMax);
}

// Everything about the child but its descriptors.
connect::RpcResult<SpawnRequest> PlanSpawn(const Context& context, LaunchRequest& request) {
  SpawnRequest spawn;
  spawn.user = std::move(request.user);
  spawn.folder = std::move(request.folder);
  spawn.arguments = std::move(request.arguments);
  auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (has_nul(spawn.folder) ||
      std::any_of(spawn.arguments.begin(), spawn.arguments.end(), has_nul)) {
    return connect::FailRpc(Code::kInvalidArgument, "a NUL character in cmd, args or cwd");
  }
  struct stat info {};
  if (::stat(spawn.folder.c_str(), &info) != 0 && errno == ENOENT) {
    return connect::FailRpc(Code::kInvalidArgument, "cwd '" + spawn.folder + "' does not exist");
  }
  Result<Variables> variables = EnvironmentFor(context, spawn.user, request.variables);
  if (!variables) return connect::FailRpc(Code::kInvalidArgument, variables.error().message);
  Result<std::string> program = FindProgram(spawn.arguments[0], (*variables)["PATH"]);
  if (!program) {
    return connect::FailRpc(Code::kInvalidArgument, "error starting process '" +
                                                        CommandText(spawn.arguments) +
                                                        "': " + program.error().message);
  }
  spawn.program = *std::move(program);
  spawn.environment = AsAssignments(*variables);
  return spawn;
}

tl::unexpected<connect::RpcError> SpawnRefused(const SpawnRequest& spawn, SpawnFailure failure) {
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
  return connect::FailRpc(
      IsExhaustion(failure.error) ? Code::kResourceExhausted : Code::kInvalidArgument,
      "error starting process '" + CommandText(spawn.arguments) + "': " + what + ": " +
          ErrnoText(failure.error));
}

}  // namespace

connect::RpcResult<Launched> Launch(Context& context, LaunchRequest request) {
  connect::RpcResult<SpawnRequest> spawn = PlanSpawn(context, request);
  if (!spawn) return tl::unexpected<connect::RpcError>(spawn.error());
  Result<Channels> channels =
      request.terminal ? MakeTerminal(*request.terminal, spawn->user) : MakePipes(request.input);
  std::string text = CommandText(spawn->arguments);
  if (!channels) {
    bool exhausted = channels.error().code == ErrorCode::kLimitExceeded;
    return connect::FailRpc(exhausted ? Code::kResourceExhausted : Code::kInternal,
                            "error starting process '" + text + "': " + channels.error().message);
  }
  spawn->input = channels->child_input.get();
  spawn->output = channels->child_output.get();
  spawn->error = channels->child_error.get();
  if (channels->terminal) spawn->terminal = SpawnRequest::Terminal::kInput;
  auto pid = Spawn(*spawn);
  if (!pid) return SpawnRefused(*spawn, pid.error());
  context.logs.Add(LogRing::Level::kInfo, "Process with pid " + std::to_string(*pid) + " started",
                   {{"event_type", "process_start"},
                    {"pid", *pid},
                    {"command", text},
                    {"user", spawn->user.name}});
  // The child's ends are closed here, or we would never see the end of its output.
  channels->child_input = UniqueFd();
  channels->child_output = UniqueFd();
  channels->child_error = UniqueFd();
  return Launched{*pid, *std::move(channels)};
}

}  // namespace viv::agent
