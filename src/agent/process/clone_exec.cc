#include "agent/process/clone_exec.h"

#include <sched.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <memory>

#include "base/check.h"

namespace viv::agent {
namespace {

constexpr std::size_t kChildStackBytes = 64 * 1024;

std::vector<char*> AsArgumentList(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  // execve takes char* for historical reasons and writes nothing.
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// No signal may reach the child while it shares our memory.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

tl::expected<pid_t, ExecFailure> CloneAndExec(const ExecRequest& request) {
  CHECK(std::min({request.input, request.output, request.error}) > 2);
  std::vector<char*> arguments = AsArgumentList(request.arguments);
  std::vector<char*> environment = AsArgumentList(request.environment);
  ExecPlan plan{
      .program = request.program.c_str(),
      .arguments = arguments.data(),
      .environment = environment.data(),
      .folder = request.folder.c_str(),
      .uid = request.user.uid,
      .gid = request.user.gid,
      .groups = request.user.groups.data(),
      .group_count = request.user.groups.size(),
      .descriptors = {request.input, request.output, request.error},
      .terminal = request.terminal == ExecRequest::Terminal::kInput,
      .failed_step = ExecStep::kNone,
      .error = 0,
  };
  auto stack = std::make_unique<char[]>(kChildStackBytes);
  // The stack grows downwards; its end is aligned as the calling convention wants.
  auto top = reinterpret_cast<std::uintptr_t>(stack.get() + kChildStackBytes) & ~std::uintptr_t{63};
  pid_t pid = -1;
  int error = 0;
  {
    AllSignalsBlocked blocked;
    pid = ::clone(RunExecChild, reinterpret_cast<void*>(top), CLONE_VM | CLONE_VFORK | SIGCHLD,
                  &plan);
    error = errno;
  }
  if (pid < 0) return tl::unexpected(ExecFailure{ExecStep::kClone, error});
  if (plan.failed_step == ExecStep::kNone) return pid;
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return tl::unexpected(ExecFailure{plan.failed_step, plan.error});
}

}  // namespace viv::agent
