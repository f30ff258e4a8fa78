// A box's session, limits and descriptors. Runs between clone and agent: system calls only.

#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/containment_steps_child.h"

namespace viv::runtime {
namespace {

// When the host runs out of memory, the OOM killer takes boxes first. All processes of a box have
// the same score, so that within a box it takes the largest, which is never the agent.
constexpr char kOomScoreAdjust[] = "500";

constexpr rlim_t kOpenFilesSoft = 8192;
constexpr rlim_t kOpenFilesHard = 65536;

int LimitResource(__rlimit_resource resource, rlim_t soft, rlim_t hard) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return errno;
  rlimit wanted{};
  wanted.rlim_max = hard < now.rlim_max ? hard : now.rlim_max;
  wanted.rlim_cur = soft < wanted.rlim_max ? soft : wanted.rlim_max;
  return ::setrlimit(resource, &wanted) == 0 ? 0 : errno;
}

}  // namespace

int WriteText(int fd, const char* text) {
  std::size_t size = std::strlen(text);
  ssize_t written = ::write(fd, text, size);
  if (written < 0) return errno;
  return static_cast<std::size_t>(written) == size ? 0 : EIO;
}

int StartSession(const Containment&) {
  // The spawner was started with every signal at its default, and ignores this one only.
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  if (::sigaction(SIGCHLD, &by_default, nullptr) != 0) return errno;
  sigset_t none;
  sigemptyset(&none);
  if (::sigprocmask(SIG_SETMASK, &none, nullptr) != 0) return errno;
  ::umask(022);
  if (::setsid() < 0) return errno;
  return ::prctl(PR_SET_NAME, "viv-agent") == 0 ? 0 : errno;
}

int JoinCgroups(const Containment& box) {
  // A lone thread that moves itself through `tasks` does not wait for the kernel's global lock, as
  // `cgroup.procs` does for 7 to 11 ms on an idle machine.
  for (std::size_t i = 0; i < box.tasks_count; ++i) {
    if (int error = WriteText(box.tasks_files[i], "0"); error != 0) return error;
  }
  return 0;
}

int EnterCgroupNamespace(const Containment&) {
  return ::unshare(CLONE_NEWCGROUP) == 0 ? 0 : errno;
}

int EnterNetworkNamespace(const Containment& box) {
  return ::setns(box.network, CLONE_NEWNET) == 0 ? 0 : errno;
}

int SetHostname(const Containment& box) {
  return ::sethostname(box.hostname, std::strlen(box.hostname)) == 0 ? 0 : errno;
}

int SetOomScore(const Containment&) {
  int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  int error = WriteText(fd, kOomScoreAdjust);
  ::close(fd);
  return error;
}

int SetResourceLimits(const Containment&) {
  // No core files. One byte rather than none: with that the kernel does not start a handler on the
  // host either, where core_pattern names one.
  if (int error = LimitResource(RLIMIT_CORE, 1, 1); error != 0) return error;
  return LimitResource(RLIMIT_NOFILE, kOpenFilesSoft, kOpenFilesHard);
}

int JoinNewKeyring(const Containment&) {
  long joined = ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);
  return joined >= 0 || errno == ENOSYS ? 0 : errno;
}

int CloseDescriptors(const Containment& box) {
  // Both are duplicated to high numbers first, so that neither overwrites the other.
  int listener = ::fcntl(box.listener, F_DUPFD_CLOEXEC, 100);
  int report = ::fcntl(box.report, F_DUPFD_CLOEXEC, 100);
  int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (listener < 0 || report < 0 || nothing < 0) return errno;
  for (int standard = 0; standard <= 2; ++standard) {
    if (::dup2(nothing, standard) < 0) return errno;
  }
  if (::dup3(listener, kListenerDescriptor, O_CLOEXEC) < 0) return errno;
  if (::dup3(report, kReportDescriptor, O_CLOEXEC) < 0) return errno;
  return ::syscall(SYS_close_range, kReportDescriptor + 1, ~0U, 0) == 0 ? 0 : errno;
}

}  // namespace viv::runtime
