#include "runtime/trial.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/unique_fd.h"
#include "runtime/cgroup_files.h"
#include "runtime/launcher.h"

namespace viv::runtime {
namespace {

constexpr int kTrialTimeoutMs = 5000;

int MapTrialIds(pid_t pid) {
  std::string map = "0 " + std::to_string(kFirstId) + " " + std::to_string(kIdsPerBox);
  for (const char* file : {"/uid_map", "/gid_map"}) {
    std::string path = "/proc/" + std::to_string(pid) + file;
    if (!WriteKernelFile(AT_FDCWD, path, map)) return EPERM;
  }
  return 0;
}

struct TrialProcess {
  pid_t pid = -1;
  UniqueFd pidfd;
};

// As fork: 0 in the child, negative on failure.
long CloneTrial(std::uint64_t namespaces, TrialProcess& trial) {
  int number = -1;
  clone_args arguments{};
  arguments.flags = namespaces | CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<std::uint64_t>(&number);
  arguments.exit_signal = SIGCHLD;
  long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid > 0) {
    trial.pid = static_cast<pid_t>(pid);
    trial.pidfd = UniqueFd(number);
  }
  return pid;
}

int AwaitTrial(const TrialProcess& trial) {
  pollfd ended{trial.pidfd.get(), POLLIN, 0};
  if (::poll(&ended, 1, kTrialTimeoutMs) != 1) ::kill(trial.pid, SIGKILL);
  int status = 0;
  while (::waitpid(trial.pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : ETIMEDOUT;
}

}  // namespace

int MakeTrialUserNamespace(UniqueFd& made) {
  TrialProcess trial;
  long pid = CloneTrial(CLONE_NEWUSER, trial);
  if (pid < 0) return errno;
  if (pid == 0) {
    for (;;) ::pause();  // it is killed once its namespace is held
  }
  int error = MapTrialIds(trial.pid);
  std::string path = "/proc/" + std::to_string(trial.pid) + "/ns/user";
  made = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!made && error == 0) error = errno;
  ::kill(trial.pid, SIGKILL);
  AwaitTrial(trial);
  return error;
}

int TryInChild(std::uint64_t namespaces, int (*attempt)(const void*), const void* argument) {
  TrialProcess trial;
  long pid = CloneTrial(namespaces, trial);
  if (pid < 0) return errno;
  if (pid == 0) ::_exit(attempt(argument) & 0xff);
  return AwaitTrial(trial);
}

}  // namespace viv::runtime
