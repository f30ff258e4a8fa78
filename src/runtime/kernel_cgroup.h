#pragma once
// The groups of one box: a folder of the same name in each hierarchy.

#include <functional>
#include <string>

#include "runtime/cgroup_roots.h"
#include "runtime/cgroups.h"

namespace viv::runtime {

class KernelCgroup : public Cgroup {
 public:
  // `places` outlives it.
  KernelCgroup(const CgroupRoots& roots, std::string name)
      : roots_(roots), name_(std::move(name)) {}

  const std::string& name() const override { return name_; }
  Result<JoinDescriptors> OpenJoinDescriptors() const override;
  Status SetLimits(const Limits& limits) override;
  Result<std::int64_t> MemoryLimit() const override;
  Result<Usage> Read() const override;
  Status Freeze() override;
  Status Thaw() override;
  Status Kill() override;
  bool empty() const override;
  std::vector<pid_t> Processes() const override;

  Status MakeFolders();
  // Only empty groups can be removed; waits up to five seconds for them to become empty.
  Status RemoveFolders();
  Status TryRemoveFolders();  // the same without waiting
  bool exists() const;

 private:
  std::string In(std::string_view file) const { return name_ + "/" + std::string(file); }
  Status Write(const CgroupRoot& root, std::string_view file, std::string_view text) const;
  Status LimitMemory(std::int64_t bytes) const;
  Status LimitSocketMemory(const CgroupRoot& root, std::int64_t memory_bytes) const;
  Status LimitCpu(double cpus) const;
  Status SetFrozen(bool frozen);
  Status KillEach() const;

  const CgroupRoots& roots_;
  std::string name_;
};

// Calls `holds` until it returns true, with growing pauses, for about five seconds.
bool WaitUntil(const std::function<bool()>& holds);

}  // namespace viv::runtime
