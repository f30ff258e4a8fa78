#include "agent/process/spawn_program.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "agent/errno_text.h"
#include "agent/process/clone_exec.h"
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
connect::RpcResult<ExecRequest> MakeExecRequest(const Context& context, ProgramSpec& request) {
  ExecRequest exec;
  exec.user = std::move(request.user);
  exec.folder = std::move(request.folder);
  exec.arguments = std::move(request.arguments);
  auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (has_nul(exec.folder) || std::any_of(exec.arguments.begin(), exec.arguments.end(), has_nul)) {
    return connect::FailRpc(Code::kInvalidArgument, "a NUL character in cmd, args or cwd");
  }
  struct stat info {};
  if (::stat(exec.folder.c_str(), &info) != 0 && errno == ENOENT) {
    return connect::FailRpc(Code::kInvalidArgument, "cwd '" + exec.folder + "' does not exist");
  }
  Result<Variables> variables = EnvironmentFor(context, exec.user, request.variables);
  if (!variables) return connect::FailRpc(Code::kInvalidArgument, variables.error().message);
  Result<std::string> program = FindProgram(exec.arguments[0], (*variables)["PATH"]);
  if (!program) {
    return connect::FailRpc(
        Code::kInvalidArgument,
        "error starting process '" + CommandText(exec.arguments) + "': " + program.error().message);
  }
  exec.program = *std::move(program);
  exec.environment = AsAssignments(*variables);
  return exec;
}

tl::unexpected<connect::RpcError> ExecError(const ExecRequest& exec, ExecFailure failure) {
  std::string what;
  switch (failure.step) {
    case ExecStep::kFolder:
      what = "chdir " + exec.folder;
      break;
    case ExecStep::kUser:
      what = "become user " + exec.user.name;
      break;
    case ExecStep::kTerminal:
      what = "take the terminal";
      break;
    default:
      what = "fork/exec " + exec.program;
  }
  return connect::FailRpc(
      IsResourceExhausted(failure.error) ? Code::kResourceExhausted : Code::kInvalidArgument,
      "error starting process '" + CommandText(exec.arguments) + "': " + what + ": " +
          ErrnoText(failure.error));
}

}  // namespace

connect::RpcResult<SpawnedProgram> SpawnProgram(Context& context, ProgramSpec request) {
  connect::RpcResult<ExecRequest> exec = MakeExecRequest(context, request);
  if (!exec) return tl::unexpected<connect::RpcError>(exec.error());
  Result<Channels> channels =
      request.terminal ? MakeTerminal(*request.terminal, exec->user) : MakePipes(request.input);
  std::string text = CommandText(exec->arguments);
  if (!channels) {
    bool exhausted = channels.error().code == ErrorCode::kLimitExceeded;
    return connect::FailRpc(exhausted ? Code::kResourceExhausted : Code::kInternal,
                            "error starting process '" + text + "': " + channels.error().message);
  }
  exec->input = channels->child_input.get();
  exec->output = channels->child_output.get();
  exec->error = channels->child_error.get();
  if (channels->terminal) exec->terminal = ExecRequest::Terminal::kInput;
  auto pid = CloneAndExec(*exec);
  if (!pid) return ExecError(*exec, pid.error());
  context.logs.Add(LogRing::Level::kInfo, "Process with pid " + std::to_string(*pid) + " started",
                   {{"event_type", "process_start"},
                    {"pid", *pid},
                    {"command", text},
                    {"user", exec->user.name}});
  // The child's ends are closed here, or we would never see the end of its output.
  channels->child_input = UniqueFd();
  channels->child_output = UniqueFd();
  channels->child_error = UniqueFd();
  return SpawnedProgram{*pid, *std::move(channels)};
}

}  // namespace viv::agent
