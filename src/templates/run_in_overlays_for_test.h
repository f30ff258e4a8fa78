#pragma once
// Runs a command in a template's overlays, put together as a box would see them but without a box
// around: overlays in a mount namespace of their own, a chroot, the ids as they are.

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/unique_fd.h"
#include "storage/overlay.h"

namespace viv::templates {

struct ScratchPlace {
  ScratchPlace() { std::filesystem::create_directories(path); }
  ~ScratchPlace() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  // In memory where that can be: thousands of small files.
  const std::string path = (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") +
                           std::string("/viv-templates-") + RandomHex(16);
};

inline bool MountOverlaysForTest(const std::vector<storage::OverlayMount>& overlays,
                                 const std::string& place) {
  if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return false;
  if (mount("tmpfs", place.c_str(), "tmpfs", 0, nullptr) != 0) return false;
  mkdir((place + "/m").c_str(), 0755);
  for (const storage::OverlayMount& overlay : overlays) {
    const std::string upper = UpperDirOf(place, overlay), work = WorkDirOf(place, overlay);
    std::filesystem::create_directories(upper);
    std::filesystem::create_directories(work);
    std::string lower;
    for (const std::string& layer : overlay.layers) lower += (lower.empty() ? "" : ":") + layer;
    const std::string options = "lowerdir=" + lower + ",upperdir=" + upper + ",workdir=" + work;
    const std::string at = place + "/m/" + overlay.mount_point;
    if (mount("overlay", at.c_str(), "overlay", 0, options.c_str()) != 0) return false;
  }
  return mount("proc", (place + "/m/proc").c_str(), "proc", 0, nullptr) == 0 &&
         mount("/dev", (place + "/m/dev").c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0 &&
         chroot((place + "/m").c_str()) == 0 && chdir("/") == 0;
}

// What `bash -l -c command` of user `uid` writes, both streams; "status N" follows when it fails.
inline std::string RunInOverlays(const std::vector<storage::OverlayMount>& overlays,
                                 uid_t uid,
                                 const std::string& command) {
  const ScratchPlace place;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    if (!MountOverlaysForTest(overlays, place.path)) _exit(99);
    if (setgid(uid) != 0 || setuid(uid) != 0) _exit(98);
    setenv("HOME", uid == 0 ? "/root" : "/home/user", 1);
    execl("/bin/bash", "bash", "-l", "-c", command.c_str(), nullptr);
    _exit(97);
  }
  close(ends[1]);
  const UniqueFd output(ends[0]);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(output.get(), buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) text += "status " + std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  return text;
}

}  // namespace viv::templates
