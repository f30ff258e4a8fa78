#pragma once
// The resource limits of boxes, by cgroup v1, v2 or both, as the machine has them. Every group of
// this server lies below one folder per hierarchy. The folder is named after the data folder, so
// that a restarted server finds the groups of the one before. Groups are reached by name; no
// descriptor is kept open per group. Thread-safe as long as one thread at a time uses a group.

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::runtime {

struct Limits {
  double cpus = 2;
  std::int64_t memory_bytes = 512LL << 20;
  std::int64_t processes = 1024;

  bool operator==(const Limits&) const = default;
};

struct Usage {
  std::int64_t cpu_us = 0;  // since the group was made
  std::int64_t memory_bytes = 0;
  std::int64_t memory_cache_bytes = 0;
  std::int64_t processes = 0;
};

// One box's groups, one per hierarchy.
class Cgroup {
 public:
  virtual ~Cgroup() = default;
  virtual const std::string& name() const = 0;
  // The descriptors that a child needs to join the groups: v1 `tasks` files, into which it writes
  // "0", and the v2 folder for CLONE_INTO_CGROUP where there is one. They are open only while a box
  // starts, because a server with ten thousand boxes has few descriptors left.
  struct JoinDescriptors {
    std::vector<UniqueFd> tasks_files;
    UniqueFd v2_folder;
  };
  virtual Result<JoinDescriptors> OpenJoinDescriptors() const = 0;

  virtual Status SetLimits(const Limits& limits) = 0;
  virtual Result<std::int64_t> MemoryLimit() const = 0;
  virtual Result<Usage> Read() const = 0;
  virtual Status Freeze() = 0;  // returns when every process is frozen
  virtual Status Thaw() = 0;
  // Sends SIGKILL to all processes, also to frozen ones, and does not wait. The group cannot be
  // used again: recent kernels also kill what is cloned into it afterwards.
  virtual Status Kill() = 0;
  virtual bool empty() const = 0;
  virtual std::vector<pid_t> Processes() const = 0;  // in the server's pid namespace
};

class Cgroups {
 public:
  // `tag` tells this server's groups from another's: letters and digits.
  static Result<std::unique_ptr<Cgroups>> Open(const std::string& tag);
  virtual ~Cgroups() = default;  // removes the server's folders if no group is left in them

  // kConflict when there is one of that name; letters, digits, '-' and '_'.
  virtual Result<std::unique_ptr<Cgroup>> Make(const std::string& name, const Limits& limits) = 0;
  virtual Result<std::unique_ptr<Cgroup>> Find(const std::string& name) = 0;  // after a restart
  // Kills the processes in the group and removes it; blocks for a few milliseconds until it is
  // gone.
  virtual Status Remove(std::unique_ptr<Cgroup> cgroup) = 0;
  // Removes the group if no process is left in it, without waiting; kUnavailable while one is.
  virtual Status TryRemove(const Cgroup& cgroup) = 0;
  virtual std::vector<std::string> List() = 0;
  // The bytes of dirty pages: what boxes have written to files and the kernel has not yet written
  // to disk.
  virtual std::int64_t ReadDirtyBytes() const = 0;
};

}  // namespace viv::runtime
