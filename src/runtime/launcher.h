#pragma once
// Starts boxes. The launcher first starts the spawner, a small static program that clones the
// boxes. The spawner has few descriptors and one thread, so that a clone costs the same with ten
// thousand boxes as with one. It returns a pidfd and keeps no state of the box: boxes outlive both
// the spawner and this server.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "runtime/cgroups.h"
#include "storage/overlay.h"

namespace viv::runtime {

// A box's ids are the 65,536 from kFirstId + slot * 65,536 on; no two live boxes share a slot.
constexpr std::uint32_t kFirstId = 0x10000 * 16;
constexpr std::uint32_t kIdsPerBox = 0x10000;
constexpr std::uint32_t kSlotsMax = 30'000;

struct BoxLaunchRequest {
  std::uint32_t slot = 0;
  std::vector<storage::OverlayMount> overlays;  // the root first
  // The box's own folder. Missing upper and work directories are created in it. Owners on disk are
  // as the box sees them.
  std::string folder;
  std::string hostname;
  int network = -1;            // a network namespace, borrowed
  int listener = -1;           // the agent's listening unix socket, borrowed
  std::int64_t shm_bytes = 0;  // what /dev/shm holds at most; 0: half of the box's memory
  const Cgroup* cgroup = nullptr;
};

struct BoxProcess {
  pid_t pid = -1;
  UniqueFd pidfd;
  std::uint64_t start_time = 0;  // field 22 of /proc/PID/stat: tells a reused pid apart
};

struct LauncherOptions {
  std::string agent;         // path of viv-agent
  std::size_t spawners = 2;  // how many boxes are started at the same time
  bool landlock = true;      // where the kernel has it
};

class Launcher {
 public:
  // kUnavailable with the reason, and what to do, when this machine cannot.
  static Result<std::unique_ptr<Launcher>> Start(LauncherOptions options);
  ~Launcher();

  // Blocks for about a millisecond; thread-safe. Returns once the box is contained and its agent is
  // about to accept. A failure names the step, and leaves nothing behind.
  Result<BoxProcess> Launch(const BoxLaunchRequest& request);

  // Reaps spawners that were killed, so that they do not stay zombies until the next launch. Does
  // not block; called regularly.
  void ReapDeadSpawners();

 private:
  class Impl;
  explicit Launcher(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The live process `pid` with that start time, for adoption; kNotFound when it is gone.
Result<UniqueFd> OpenProcess(pid_t pid, std::uint64_t start_time);

}  // namespace viv::runtime
