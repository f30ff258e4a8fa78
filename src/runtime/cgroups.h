#pragma once
// Limits of boxes: cgroup v1, v2, or both side by side, as the machine has them. Every group of
// this server lies below one folder per hierarchy, named for its data folder, so that a later start
// finds what an earlier one left. Everything is by name, and no descriptor is kept per group.
// Thread-safe as long as one group is used by one thread at a time.

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
  // For a child to join: v1 `tasks` files to write "0" into, and the v2 folder for
  // CLONE_INTO_CGROUP where there is one. Open only while a box starts: with ten thousand boxes the
  // server has no descriptors to spare.
  struct JoinDescriptors {
    std::vector<UniqueFd> tasks_files;
    UniqueFd v2_folder;
  };
  virtual Result<JoinDescriptors> OpenJoinDescriptors() const = 0;

  virtual Status SetLimits(const Limits& limits) = 0;
  virtual Result<std::int64_t> MemoryLimit() const = 0;
  virtual Result<Usage> Read() const = 0;
  virtual Status Freeze() = 0;  // returns when every process stands still
  virtual Status Thaw() = 0;
  // SIGKILL to all, also to frozen ones; does not wait. The group is then used up: recent kernels
  // also kill what is cloned into it afterwards.
  virtual Status Kill() = 0;
  virtual bool empty() const = 0;
  virtual std::vector<pid_t> Processes() const = 0;  // as the server sees them
};

class Cgroups {
 public:
  // `tag` tells this server's groups from another's: letters and digits.
  static Result<std::unique_ptr<Cgroups>> Open(const std::string& tag);
  virtual ~Cgroups() = default;  // leaves its folders only while there are groups in them

  // kConflict when there is one of that name; letters, digits, '-' and '_'.
  virtual Result<std::unique_ptr<Cgroup>> Make(const std::string& name, const Limits& limits) = 0;
  virtual Result<std::unique_ptr<Cgroup>> Find(const std::string& name) = 0;  // after a restart
  // Kills what is inside and removes it; blocks until it is gone, a few milliseconds.
  virtual Status Remove(std::unique_ptr<Cgroup> cgroup) = 0;
  // Removes it if nothing lives in it any more, and waits for nothing: kUnavailable while something
  // does.
  virtual Status TryRemove(const Cgroup& cgroup) = 0;
  virtual std::vector<std::string> List() = 0;
  // What boxes have written to files and the kernel has not yet put on disk, in bytes.
  virtual std::int64_t ReadDirtyBytes() const = 0;
};

}  // namespace viv::runtime
