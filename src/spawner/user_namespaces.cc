#include "spawner/user_namespaces.h"

#include <fcntl.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "runtime/launcher.h"

namespace viv::spawner {
namespace {

using runtime::Step;

// A user namespace is made together with a process. The process shares our memory, which makes it
// cheap, and only waits on a stack of its own until it is killed.
alignas(16) char g_holder_stack[4096];

int HoldNamespace(void*) {
  for (;;) ::syscall(SYS_pause);
}

bool TakeEffectiveIds(std::uint32_t id) {
  return ::syscall(SYS_setresgid, -1, id, -1) == 0 && ::syscall(SYS_setresuid, -1, id, -1) == 0;
}

int WriteMap(int proc, const char* path, const char* map) {
  UniqueFd file(::openat(proc, path, O_WRONLY | O_CLOEXEC));
  if (!file) return errno;
  ssize_t size = static_cast<ssize_t>(std::strlen(map));
  return ::write(file.get(), map, static_cast<std::size_t>(size)) == size ? 0 : errno;
}

}  // namespace

StepFailure UserNamespaces::Prepare() {
  if (::prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP) != 0) return {Step::kUserNamespace, errno};
  return {};
}

StepFailure UserNamespaces::MapIds(int holder, std::uint32_t first_id) const {
  char map[64], path[64];
  std::snprintf(map, sizeof map, "0 %u %u", first_id, runtime::kIdsPerBox);
  for (const char* kind : {"uid_map", "gid_map"}) {
    std::snprintf(path, sizeof path, "%d/%s", holder, kind);
    if (int error = WriteMap(proc_.get(), path, map); error != 0) return {Step::kIdMap, error};
  }
  return {};
}

StepFailure UserNamespaces::Make(std::uint32_t first_id, UniqueFd& made) {
  if (prepared_ && prepared_id_ == first_id) {
    made = std::exchange(prepared_, UniqueFd());
    return {};
  }
  return MakeNew(first_id, made);
}

void UserNamespaces::Preallocate(std::uint32_t first_id) {
  prepared_ = UniqueFd();
  prepared_id_ = first_id;
  // When this fails, the next box makes its own namespace and reports the error.
  MakeNew(first_id, prepared_);
}

StepFailure UserNamespaces::MakeNew(std::uint32_t first_id, UniqueFd& made) {
  if (!TakeEffectiveIds(first_id)) return {Step::kUserNamespace, errno};
  int holder = ::clone(HoldNamespace, g_holder_stack + sizeof g_holder_stack,
                       CLONE_NEWUSER | CLONE_VM | CLONE_FILES | SIGCHLD, nullptr);
  int error = errno;
  if (!TakeEffectiveIds(0)) ::_exit(1);  // going on with the ids of a box would be unsafe
  if (holder < 0) return {Step::kUserNamespace, error};
  StepFailure failure = MapIds(holder, first_id);
  if (failure.step == Step::kNone) {
    char path[64];
    std::snprintf(path, sizeof path, "%d/ns/user", holder);
    made = UniqueFd(::openat(proc_.get(), path, O_RDONLY | O_CLOEXEC));
    if (!made) failure = {Step::kUserNamespace, errno};
  }
  ::kill(holder, SIGKILL);  // SIGCHLD is ignored, so it is reaped by itself
  return failure;
}

}  // namespace viv::spawner
