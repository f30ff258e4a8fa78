#include "spawner/empty_root.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "runtime/contain.h"

namespace viv::spawner {
namespace {

using runtime::Step;

bool MakeFolder(const std::string& path) {
  return ::mkdir(path.substr(1).c_str(), 0755) == 0;  // below the current folder
}

// In the current folder, the new tmpfs.
bool MakeMountPoints() {
  bool made = MakeFolder(runtime::kSpawnerRoot) && MakeFolder(runtime::kSpawnerFolder) &&
              MakeFolder(runtime::kSpawnerLayers) && MakeFolder(runtime::kSpawnerEmptyFolder);
  for (std::size_t i = 0; made && i < runtime::kLayersMax; ++i)
    made = MakeFolder(runtime::kSpawnerLayers + ("/" + std::to_string(i)));
  if (!made) return false;
  UniqueFd file(
      ::open(&runtime::kSpawnerEmptyFile[1], O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444));
  return static_cast<bool>(file);
}

}  // namespace

StepFailure EnterEmptyRoot(UniqueFd& proc) {
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  proc = UniqueFd(::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!proc) return {Step::kSpawnerMounts, errno};
  if (::unshare(CLONE_NEWNS) != 0) return {Step::kSpawnerMounts, errno};
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return {Step::kSpawnerMounts, errno};
  // Any folder will do to mount it on; /proc is sure to be there.
  if (::mount("none", "/proc", "tmpfs", kFlags, "mode=755,size=1m") != 0 || ::chdir("/proc") != 0 ||
      !MakeMountPoints() || ::syscall(SYS_pivot_root, ".", ".") != 0 ||
      ::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_RDONLY | kFlags, nullptr) != 0)
    return {Step::kSpawnerRoot, errno};
  return {};
}

}  // namespace viv::spawner
