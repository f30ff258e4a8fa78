#include "tools/desktop_commander/spawn_shell.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <vector>

#include "base/errno_error.h"

namespace viv::tools::commander {
namespace {

// posix_spawn's two objects, which want to be destroyed.
struct SpawnPlan {
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

struct ShellPipe {
  UniqueFd read, write;
};

Result<ShellPipe> MakeShellPipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return FailErrno(ErrorCode::kLimitExceeded, "make a pipe");
  return ShellPipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<std::string> ShellEnvironment() {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!std::string_view(*entry).starts_with("TERM=")) variables.emplace_back(*entry);
  variables.emplace_back("TERM=xterm-256color");
  return variables;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Result<ShellProcess> SpawnShell(const std::string& shell,
                                const std::string& command,
                                const std::string& folder) {
  ASSIGN_OR_RETURN(ShellPipe input, MakeShellPipe());
  ASSIGN_OR_RETURN(ShellPipe output, MakeShellPipe());
  ASSIGN_OR_RETURN(ShellPipe error, MakeShellPipe());
  SpawnPlan plan;
  ::posix_spawn_file_actions_addchdir_np(&plan.actions, folder.c_str());
  ::posix_spawn_file_actions_adddup2(&plan.actions, input.read.get(), 0);
  ::posix_spawn_file_actions_adddup2(&plan.actions, output.write.get(), 1);
  ::posix_spawn_file_actions_adddup2(&plan.actions, error.write.get(), 2);
  sigset_t none, pipe_signal;
  sigemptyset(&none);
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  ::posix_spawnattr_setsigmask(&plan.attributes, &none);
  ::posix_spawnattr_setsigdefault(&plan.attributes, &pipe_signal);
  ::posix_spawnattr_setflags(&plan.attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> arguments = {shell, "-c", command};
  std::vector<std::string> environment = ShellEnvironment();
  ShellProcess process;
  const int failed = ::posix_spawnp(&process.pid, shell.c_str(), &plan.actions, &plan.attributes,
                                    Pointers(arguments).data(), Pointers(environment).data());
  if (failed != 0)
    return FailErrno(failed == ENOENT ? ErrorCode::kNotFound : ErrorCode::kUnavailable, shell,
                     failed);
  process.input = std::move(input.write);
  process.output = std::move(output.read);
  process.error = std::move(error.read);
  for (const UniqueFd* fd : {&process.input, &process.output, &process.error})
    ::fcntl(fd->get(), F_SETFL, O_NONBLOCK);
  return process;
}

}  // namespace viv::tools::commander
