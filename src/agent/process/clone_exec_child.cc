// Runs in the child, in the agent's memory, between clone and exec: system calls only, no
// allocation, no lock, nothing that throws. The sanitizers know nothing of its stack.

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "agent/process/clone_exec.h"

#define VIV_UNSANITIZED __attribute__((no_sanitize("address", "undefined", "thread")))

namespace viv::agent {
namespace {

constexpr int kSignalsMax = 64;

// As the kernel has it on this processor; all zero is what a signal does by default.
struct KernelSigaction {
  void (*handler)(int) = nullptr;
  unsigned long flags = 0;
  void (*restorer)() = nullptr;
  unsigned long mask = 0;
};

[[noreturn]] VIV_UNSANITIZED void FailExec(ExecPlan* plan, ExecStep step) {
  plan->error = errno;
  plan->failed_step = step;
  for (;;) ::_exit(127);
}

// Under memory pressure the box's programs go before its agent.
VIV_UNSANITIZED void ResetOomScore() {
  int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return;
  ssize_t written = ::write(file, "100", 3);
  (void)written;
  ::close(file);
}

VIV_UNSANITIZED void ResetSignals() {
  // The kernel's own call: the C library's refuses the two signals it keeps for itself.
  KernelSigaction standard;
  for (int signal = 1; signal <= kSignalsMax; ++signal)
    ::syscall(SYS_rt_sigaction, signal, &standard, nullptr, sizeof standard.mask);
}

// Raw calls: libc's would make other threads, which the child does not have, follow.
VIV_UNSANITIZED bool BecomeUser(const ExecPlan* plan) {
  return ::syscall(SYS_setgroups, plan->group_count, plan->groups) == 0 &&
         ::syscall(SYS_setresgid, plan->gid, plan->gid, plan->gid) == 0 &&
         ::syscall(SYS_setresuid, plan->uid, plan->uid, plan->uid) == 0;
}

}  // namespace

VIV_UNSANITIZED int RunExecChild(void* argument) {
  auto* plan = static_cast<ExecPlan*>(argument);
  ResetSignals();
  if (::setsid() < 0) FailExec(plan, ExecStep::kSession);
  for (int i = 0; i < 3; ++i) {
    if (::dup2(plan->descriptors[i], i) < 0) FailExec(plan, ExecStep::kDescriptors);
  }
  if (plan->terminal && ::ioctl(0, TIOCSCTTY, 0) < 0) FailExec(plan, ExecStep::kTerminal);
  // Everything else closes on exec anyway; this also holds for what a library forgot to mark.
  ::syscall(SYS_close_range, 3u, ~0u, 0u);
  ResetOomScore();
  ::setpriority(PRIO_PROCESS, 0, 0);
  ::umask(022);
  if (!BecomeUser(plan)) FailExec(plan, ExecStep::kUser);
  if (::chdir(plan->folder) < 0) FailExec(plan, ExecStep::kFolder);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(plan->program, plan->arguments, plan->environment);
  FailExec(plan, ExecStep::kExecute);
}

}  // namespace viv::agent
