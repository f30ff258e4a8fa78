#include "git/git_child.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>

#include "base/errno_error.h"

namespace viv::git {
namespace {

constexpr uid_t kNobody = 65534;
constexpr std::size_t kGitStackBytes = 64 * 1024;

// Folders that every machine has and git needs nothing from. The repository is mounted on the first
// that is there, in git's own mount namespace.
constexpr const char* kGitMountPoints[] = {"/mnt", "/srv", "/media", "/tmp"};

constexpr const char* kGitPrograms[] = {"/usr/bin/git", "/usr/local/bin/git", "/bin/git"};

constexpr const char* kGitEnvironment[] = {
    "PATH=/usr/local/bin:/usr/bin:/bin",
    "LC_ALL=C",
    "HOME=/nonexistent",
    "GIT_CONFIG_NOSYSTEM=1",
    "GIT_CONFIG_SYSTEM=/dev/null",
    "GIT_CONFIG_GLOBAL=/dev/null",
    "GIT_TERMINAL_PROMPT=0",
    "GIT_ALLOW_PROTOCOL=none",   // it never fetches from anywhere
    "GIT_NO_REPLACE_OBJECTS=1",  // refs/replace/… is pushed like any other ref
    "GIT_LITERAL_PATHSPECS=1",   // a path is a path
    "GIT_ATTR_NOSYSTEM=1",
    "GIT_AUTHOR_NAME=Vivarium",
    "GIT_AUTHOR_EMAIL=vivarium@localhost",
    "GIT_COMMITTER_NAME=Vivarium",
    "GIT_COMMITTER_EMAIL=vivarium@localhost",
};

constexpr const char* kGitSettings[] = {
    "core.hooksPath=/dev/null", "core.fsmonitor=false",
    "core.packedGitWindowSize=32m",  // together with the next two: what fits kGitMemoryBytes
    "core.packedGitLimit=512m", "core.bigFileThreshold=64m", "pack.windowMemory=128m",
    "pack.threads=2", "receive.fsckObjects=true",
    // These defects occur in old histories and do no harm.
    "receive.fsck.zeroPaddedFilemode=ignore", "receive.fsck.missingSpaceBeforeDate=ignore",
    "receive.fsck.badTimezone=ignore", "receive.maxInputSize=1g",
    // A pack stays as it came: unpacked, a few deltas could be a thousand times as much.
    "receive.unpackLimit=1",
    "gc.autoDetach=false",  // whatever cleans up ends with the push that made it necessary
};

constexpr rlim_t kGitMemoryBytes = rlim_t{4} << 30;
struct GitLimit {
  __rlimit_resource resource;
  rlim_t value;
};
constexpr GitLimit kGitLimits[] = {
    {RLIMIT_AS, kGitMemoryBytes},
    {RLIMIT_FSIZE, rlim_t{2} << 30},
    {RLIMIT_CPU, 900},    // seconds of each process
    {RLIMIT_NPROC, 512},  // of the user, whatever else runs as it
    {RLIMIT_NOFILE, 1024},
    {RLIMIT_CORE, 0},
};

// All that the child needs, prepared before it is there, and what it tells back: the two share
// their memory until git runs.
struct GitChildPlan {
  const char* program = nullptr;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  const char* folder = nullptr;
  const char* place = nullptr;
  int descriptors[3] = {};
  GitUser user;

  const char* failed_step = nullptr;
  int error = 0;
};

// From here to exec there are only system calls, made directly where the C library would involve
// the server's other threads.
bool GitStep(GitChildPlan& plan, const char* step, long outcome) {
  if (outcome >= 0) return true;
  plan.failed_step = step;
  plan.error = errno;
  return false;
}

bool ConnectStdio(GitChildPlan& plan) {
  int moved[3];
  for (int i = 0; i < 3; ++i) {
    moved[i] = ::fcntl(plan.descriptors[i], F_DUPFD_CLOEXEC, 10);
    if (!GitStep(plan, "take its pipes", moved[i])) return false;
  }
  for (int i = 0; i < 3; ++i)
    if (!GitStep(plan, "wire its pipes", ::dup2(moved[i], i))) return false;
  return GitStep(plan, "close what is not its own", ::syscall(SYS_close_range, 3U, ~0U, 0U));
}

// Events from outside still arrive, so that what is unmounted there does not stay busy in here.
bool MountRepository(GitChildPlan& plan) {
  return GitStep(plan, "get a mount namespace", ::unshare(CLONE_NEWNS)) &&
         GitStep(plan, "part from other mounts",
                 ::mount(nullptr, "/", nullptr, MS_SLAVE | MS_REC, nullptr)) &&
         GitStep(plan, "mount the repository",
                 ::mount(plan.folder, plan.place, nullptr, MS_BIND, nullptr)) &&
         GitStep(plan, "restrict the repository",
                 ::mount(nullptr, plan.place, nullptr,
                         MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr));
}

bool LimitGit(GitChildPlan& plan) {
  for (const GitLimit& limit : kGitLimits) {
    rlimit both{limit.value, limit.value};
    // Under a lower limit that the server itself has, that one stays.
    rlimit now{};
    ::getrlimit(limit.resource, &now);
    if (now.rlim_max < both.rlim_max) both = {now.rlim_max, now.rlim_max};
    if (!GitStep(plan, "set its limits", ::setrlimit(limit.resource, &both))) return false;
  }
  return true;
}

bool BecomeNobody(GitChildPlan& plan) {
  const uid_t uid = plan.user.uid;
  const gid_t gid = plan.user.gid;
  return GitStep(plan, "leave all groups", ::syscall(SYS_setgroups, 0, nullptr)) &&
         GitStep(plan, "become nobody's group", ::syscall(SYS_setresgid, gid, gid, gid)) &&
         GitStep(plan, "become nobody", ::syscall(SYS_setresuid, uid, uid, uid));
}

void ResetSignals() {
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &plain, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Its stack is not the thread's, which the address sanitizer would stumble over.
__attribute__((no_sanitize("address"))) int RunGitChild(void* argument) {
  GitChildPlan& plan = *static_cast<GitChildPlan*>(argument);
  ::umask(077);
  bool ready = GitStep(plan, "get a session", ::setsid()) && ConnectStdio(plan) &&
               (!plan.user.confined || MountRepository(plan)) && LimitGit(plan) &&
               (!plan.user.confined || BecomeNobody(plan)) &&
               GitStep(plan, "give up new privileges", ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) &&
               GitStep(plan, "die with the server", ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)) &&
               GitStep(plan, "enter the repository", ::chdir(plan.place));
  if (ready) {
    ResetSignals();
    ::execve(plan.program, plan.arguments, plan.environment);
    GitStep(plan, "run git", -1);
  }
  ::_exit(127);
}

const char* FindGitProgram() {
  for (const char* program : kGitPrograms)
    if (::access(program, X_OK) == 0) return program;
  return nullptr;
}

std::vector<char*> GitPointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

tl::unexpected<Error> GitNotStarted(const char* step, int error) {
  std::string message =
      "git could not be started: " + std::string(step) + ": " + ErrnoMessage(error);
  if (error == EPERM)
    message += "; run the server as root with CAP_SYS_ADMIN, or as an ordinary user";
  return Fail(ErrorCode::kUnavailable, std::move(message));
}

}  // namespace

GitUser CurrentGitUser() {
  if (::geteuid() == 0) return {true, kNobody, kNobody};
  return {false, ::geteuid(), ::getegid()};
}

std::string GitMountPointOf(const std::string& folder) {
  if (!CurrentGitUser().confined) return folder;
  struct stat entry {};
  for (const char* place : kGitMountPoints)
    if (::lstat(place, &entry) == 0 && S_ISDIR(entry.st_mode)) return place;
  return folder;
}

Result<GitChild> SpawnGit(const GitSpawnRequest& start) {
  const char* program = FindGitProgram();
  if (program == nullptr)
    return Fail(ErrorCode::kUnavailable, "git is not installed on the server: apt-get install git");
  const std::string place = GitMountPointOf(start.folder);
  std::vector<std::string> arguments = {"git"};
  for (const char* setting : kGitSettings) {
    arguments.emplace_back("-c");
    arguments.emplace_back(setting);
  }
  arguments.insert(arguments.end(), start.arguments.begin(), start.arguments.end());
  std::vector<std::string> environment(std::begin(kGitEnvironment), std::end(kGitEnvironment));
  environment.push_back("GIT_DIR=" + place);
  environment.insert(environment.end(), start.environment.begin(), start.environment.end());
  const std::vector<char*> argument_list = GitPointers(arguments);
  const std::vector<char*> environment_list = GitPointers(environment);

  GitChildPlan plan;
  plan.program = program;
  plan.arguments = argument_list.data();
  plan.environment = environment_list.data();
  plan.folder = start.folder.c_str();
  plan.place = place.c_str();
  plan.descriptors[0] = start.input.get();
  plan.descriptors[1] = start.output.get();
  plan.descriptors[2] = start.errors.get();
  plan.user = CurrentGitUser();

  // The child borrows our memory, so that starting it costs the same however much the server has;
  // no handler of ours may run in it.
  auto stack = std::make_unique<std::byte[]>(kGitStackBytes);
  auto top = reinterpret_cast<std::uintptr_t>(stack.get() + kGitStackBytes) & ~std::uintptr_t{15};
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  int pidfd = -1;
  const int pid = ::clone(RunGitChild, reinterpret_cast<void*>(top),
                          CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &plan, &pidfd);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return GitNotStarted("clone", error);
  GitChild child{pid, UniqueFd(pidfd)};
  if (plan.failed_step == nullptr) return child;
  siginfo_t ended{};
  ::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED);
  return GitNotStarted(plan.failed_step, plan.error);
}

}  // namespace viv::git
