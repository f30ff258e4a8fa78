#include "agent/dataplane/command_service.h"

#include <unistd.h>

#include <csignal>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/ids.h"
#include "base/text.h"

namespace viv::agent {
namespace {

constexpr const char* kUsualShell = "/bin/bash";
constexpr const char* kEveryShell = "/bin/sh";

tl::unexpected<CommandFailure> RefuseCommand(std::string message) {
  return tl::unexpected<CommandFailure>(CommandError(std::move(message)));
}

// Clients name bash without knowing whether the box has it.
std::string ShellToRun(const std::string& wanted) {
  if (!wanted.empty() && wanted != kUsualShell) return wanted;
  return ::access(kUsualShell, X_OK) == 0 ? kUsualShell : kEveryShell;
}

std::vector<std::string> ArgumentsOf(const CommandRequest& request, const User& user) {
  if (!request.arguments.empty()) return request.arguments;
  if (!request.command.empty()) return {ShellToRun(request.shell), "-c", request.command};
  bool has_own = request.shell.empty() && user.shell.starts_with('/') &&
                 ::access(user.shell.c_str(), X_OK) == 0;
  return {has_own ? user.shell : ShellToRun(request.shell), "-l"};
}

Command::Info InfoOf(const CommandRequest& request, pid_t pid) {
  Command::Info info;
  info.id = request.id;
  info.pid = pid;
  info.pty = request.pty;
  info.takes_input = request.pty || !request.close_stdin;
  info.kill_on_disconnect = request.kill_on_disconnect;
  info.timeout = request.timeout;
  info.idle_timeout = request.idle_timeout;
  info.ttl = request.ttl;
  return info;
}

// Looks after the command to its end, and after that sees to it that it is forgotten in time. The
// service may be gone by then.
Task<void> KeepCommand(std::shared_ptr<Command> command, std::weak_ptr<CommandTable> table) {
  co_await command->Supervise();
  if (auto present = table.lock()) present->ForgetOld();
  std::optional<Command::Duration> ttl = command->info().ttl;
  if (!ttl) co_return;
  Command::Time until = command->ended_at() + *ttl;
  command.reset();  // its output may have to go earlier
  auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, until);
  auto [error] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
  if (error) co_return;
  if (auto present = table.lock()) present->ForgetOld();
}

}  // namespace

CommandFailure CommandError(std::string message) {
  return {"CommandError", std::move(message)};
}

CommandService::CommandService(Context& context)
    : context_(context), table_(std::make_shared<CommandTable>()) {
  std::signal(SIGPIPE, SIG_IGN);  // a command may close its input while we write to it
}

CommandResult<std::shared_ptr<Command>> CommandService::Find(const std::string& id) {
  if (auto found = table_->Find(id)) return found;
  std::string named = "command " + viv::Printable(id, 128);
  if (table_->is_expired(id)) {
    return tl::unexpected(CommandFailure{
        "SessionExpired", named + " has ended and its output is no longer kept; run it again"});
  }
  return tl::unexpected(CommandFailure{"CommandNotFound", named + " is not known in this box"});
}

CommandResult<std::shared_ptr<Command>> CommandService::GetOrStart(CommandRequest request,
                                                                   asio::any_io_executor executor) {
  if (request.id.empty()) request.id = RandomUuid();
  CommandResult<std::shared_ptr<Command>> found = Find(request.id);
  bool unknown = !found && found.error().type == "CommandNotFound";
  if (unknown) return Start(std::move(request), std::move(executor));
  return found;
}

CommandResult<ProgramSpec> CommandService::MakeProgramSpec(const CommandRequest& request) {
  const std::string& name = request.user.empty() ? context_.default_user : request.user;
  std::optional<User> user = context_.users.Resolve(name);
  if (!user) {
    return RefuseCommand(
        "user '" + viv::Printable(name) +
        "' does not exist in this box; name a user or uid, with :group if need be");
  }
  ProgramSpec spec;
  spec.folder = ResolvePath(context_, *user, request.folder);
  spec.arguments = ArgumentsOf(request, *user);
  spec.variables = request.variables;
  spec.input = request.close_stdin ? StandardInput::kNone : StandardInput::kPipe;
  if (request.pty) {
    spec.terminal = request.size;
    if (!context_.variables.contains("TERM")) spec.variables.emplace("TERM", "xterm-256color");
  }
  spec.user = *std::move(user);
  return spec;
}

CommandResult<std::shared_ptr<Command>> CommandService::Start(CommandRequest request,
                                                              asio::any_io_executor executor) {
  if (table_->is_full()) {
    return RefuseCommand("too many commands run in this box; wait until some have ended");
  }
  if (Status ready = BeginReaping(executor); !ready) return RefuseCommand(ready.error().message);
  CommandResult<ProgramSpec> plan = MakeProgramSpec(request);
  if (!plan) return tl::unexpected(std::move(plan).error());
  connect::RpcResult<SpawnedProgram> spawned = SpawnProgram(context_, *std::move(plan));
  if (!spawned) return RefuseCommand(std::move(spawned.error().message));
  auto command = std::make_shared<Command>(executor, InfoOf(request, spawned->pid),
                                           std::move(spawned->channels), context_.logs);
  reaper_->Watch(command->pid(), [command](int wait_status) { command->OnExit(wait_status); });
  table_->Add(command);
  tasks_->Spawn("command.output", command->PumpOutput());
  if (!request.pty) tasks_->Spawn("command.error", command->PumpError());
  if (command->info().takes_input) tasks_->Spawn("command.input", command->PumpInput());
  tasks_->Spawn("command.keep", KeepCommand(command, table_));
  return command;
}

// Not before the first command, for an idle agent shall own next to nothing.
Status CommandService::BeginReaping(asio::any_io_executor executor) {
  if (reaper_) return {};
  ASSIGN_OR_RETURN(reaper_, SharedReaper::Of(context_.reaper, executor));
  tasks_ = std::make_unique<TaskGroup>(executor);
  return {};
}

}  // namespace viv::agent
