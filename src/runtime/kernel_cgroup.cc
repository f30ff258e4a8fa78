#include "runtime/kernel_cgroup.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/errno_error.h"
#include "base/text.h"
#include "runtime/cgroup_files.h"

namespace viv::runtime {
namespace {

constexpr std::int64_t kCpuPeriodUs = 100'000;
constexpr std::int64_t kCpuQuotaMinUs = 1'000;  // the kernel's own
// v1 counts socket buffers apart from the memory of processes, and only where they have a limit.
constexpr std::int64_t kSocketMemoryShare = 8;
constexpr std::int64_t kSocketMemoryMin = 16LL << 20;

}  // namespace

Status KernelCgroup::Write(const CgroupRoot& root,
                           std::string_view file,
                           std::string_view text) const {
  return WriteKernelFile(root.folder.get(), In(file), text);
}

Result<Cgroup::JoinDescriptors> KernelCgroup::OpenJoinDescriptors() const {
  JoinDescriptors join;
  for (const CgroupRoot& root : roots_.all()) {
    std::string path = root.is_v2 ? name_ : In("tasks");
    int flags = root.is_v2 ? O_RDONLY | O_DIRECTORY | O_CLOEXEC : O_WRONLY | O_CLOEXEC;
    UniqueFd descriptor(::openat(root.folder.get(), path.c_str(), flags));
    if (!descriptor) return FailErrno(ErrorCode::kUnavailable, "open the control group " + path);
    if (root.is_v2) {
      join.v2_folder = std::move(descriptor);
    } else {
      join.tasks_files.push_back(std::move(descriptor));
    }
  }
  return join;
}

Status KernelCgroup::LimitMemory(std::int64_t bytes) const {
  const CgroupRoot& root = *roots_.Find("memory");
  std::string limit = std::to_string(bytes);
  if (root.is_v2) {
    RETURN_IF_ERROR(Write(root, "memory.max", limit));
    // Absent where the kernel accounts no swap.
    Status no_swap = Write(root, "memory.swap.max", "0");
    if (!no_swap && no_swap.error().code != ErrorCode::kNotFound) return no_swap;
    return {};
  }
  // v1 wants memory <= memory+swap at every moment: the first write fails when both have to grow,
  // the second when both have to shrink and the first did not.
  Status first = Write(root, "memory.limit_in_bytes", limit);
  Status with_swap = Write(root, "memory.memsw.limit_in_bytes", limit);
  if (!with_swap && with_swap.error().code != ErrorCode::kNotFound) return with_swap;
  if (!first) RETURN_IF_ERROR(Write(root, "memory.limit_in_bytes", limit));
  return LimitSocketMemory(root, bytes);
}

// v2 charges socket buffers to memory.max. The v1 file is named for TCP and counts UDP as well.
Status KernelCgroup::LimitSocketMemory(const CgroupRoot& root, std::int64_t memory_bytes) const {
  const std::int64_t bytes = std::max(memory_bytes / kSocketMemoryShare, kSocketMemoryMin);
  Status limited = Write(root, "memory.kmem.tcp.limit_in_bytes", std::to_string(bytes));
  // v1 is on its way out of kernels, and this file before the rest of it.
  if (!limited && limited.error().code == ErrorCode::kNotFound) return {};
  return limited;
}

Status KernelCgroup::LimitCpu(double cpus) const {
  const CgroupRoot& root = *roots_.Find("cpu");
  std::int64_t quota = static_cast<std::int64_t>(cpus * static_cast<double>(kCpuPeriodUs));
  std::string text = std::to_string(std::max(quota, kCpuQuotaMinUs));
  if (root.is_v2) return Write(root, "cpu.max", text + " " + std::to_string(kCpuPeriodUs));
  // The period is the same by default in every kernel.
  return Write(root, "cpu.cfs_quota_us", text);
}

Status KernelCgroup::SetLimits(const Limits& limits) {
  if (!(limits.cpus > 0 && limits.cpus <= 4096) || limits.memory_bytes <= 0 ||
      limits.processes <= 0)
    return Fail(ErrorCode::kInvalidArgument, "a box's limits must be positive");
  RETURN_IF_ERROR(LimitMemory(limits.memory_bytes), "limit memory");
  RETURN_IF_ERROR(LimitCpu(limits.cpus), "limit cpu");
  return Write(*roots_.Find("pids"), "pids.max", std::to_string(limits.processes));
}

Result<std::int64_t> KernelCgroup::MemoryLimit() const {
  const CgroupRoot& root = *roots_.Find("memory");
  std::string file = In(root.is_v2 ? "memory.max" : "memory.limit_in_bytes");
  ASSIGN_OR_RETURN(std::string text, ReadKernelFile(root.folder.get(), file));
  auto bytes = ReadNumber(text);
  if (!bytes) return Fail(ErrorCode::kInternal, "control group " + name_ + " has no memory limit");
  return *bytes;
}

Status KernelCgroup::MakeFolders() {
  if (exists())
    return Fail(ErrorCode::kConflict, "there is a control group '" + name_ + "' already");
  for (const CgroupRoot& root : roots_.all()) {
    if (::mkdirat(root.folder.get(), name_.c_str(), 0755) == 0) continue;
    Status failed = FailErrno(ErrorCode::kUnavailable, "make the control group " + name_);
    std::ignore = RemoveFolders();
    return failed;
  }
  return {};
}

Status KernelCgroup::RemoveFolders() {
  Status removed;
  WaitUntil([&] {
    removed = TryRemoveFolders();
    return removed.has_value() || removed.error().code != ErrorCode::kUnavailable;
  });
  return removed;
}

Status KernelCgroup::TryRemoveFolders() {
  for (const CgroupRoot& root : roots_.all()) {
    if (::unlinkat(root.folder.get(), name_.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT)
      continue;
    return FailErrno(errno == EBUSY ? ErrorCode::kUnavailable : ErrorCode::kInternal,
                     "remove the control group " + name_);
  }
  return {};
}

bool KernelCgroup::exists() const {
  const auto& all = roots_.all();
  return std::any_of(all.begin(), all.end(), [this](const CgroupRoot& root) {
    return KernelFileExists(root.folder.get(), name_);
  });
}

bool KernelCgroup::empty() const {
  const CgroupRoot* v2 = roots_.v2();
  if (v2 != nullptr) {
    auto events = ReadKernelFile(v2->folder.get(), In("cgroup.events"));
    return !events || FindKeyed(*events, "populated").value_or(0) == 0;
  }
  auto processes = ReadKernelFile(roots_.Find("pids")->folder.get(), In("cgroup.procs"));
  return !processes || processes->empty();
}

std::vector<pid_t> KernelCgroup::Processes() const {
  std::vector<pid_t> processes;
  auto text = ReadKernelFile(roots_.Find("pids")->folder.get(), In("cgroup.procs"));
  if (!text) return processes;
  for (std::string_view line : Split(*text, '\n')) {
    auto pid = ReadNumber(line);
    if (pid && *pid > 0) processes.push_back(static_cast<pid_t>(*pid));
  }
  return processes;
}

Status KernelCgroup::KillEach() const {
  // Processes that are forked while the list is read are killed in the next round. A fork bomb ends
  // because its pids limit is reached.
  for (int round = 0; round < 100; ++round) {
    const std::vector<pid_t> processes = Processes();
    if (processes.empty()) return {};
    for (pid_t process : processes) ::kill(process, SIGKILL);
  }
  return {};  // the remaining processes are dying or frozen
}

Status KernelCgroup::Kill() {
  const CgroupRoot* v2 = roots_.v2();
  if (v2 != nullptr) {
    Status killed = Write(*v2, "cgroup.kill", "1");  // Linux 5.14
    if (killed || !exists()) return {};
  }
  RETURN_IF_ERROR(KillEach());
  // A process that v1 froze dies only once it is thawed; v2 lets it go.
  return v2 == nullptr ? Write(*roots_.Find("freezer"), "freezer.state", "THAWED") : Status();
}

Result<Usage> KernelCgroup::Read() const {
  Usage usage;
  auto read = [this](const CgroupRoot& root, std::string_view file) {
    return ReadKernelFile(root.folder.get(), In(file));
  };
  const CgroupRoot& memory = *roots_.Find("memory");
  ASSIGN_OR_RETURN(std::string in_use,
                   read(memory, memory.is_v2 ? "memory.current" : "memory.usage_in_bytes"));
  ASSIGN_OR_RETURN(std::string stat, read(memory, "memory.stat"));
  usage.memory_bytes = ReadNumber(in_use).value_or(0);
  usage.memory_cache_bytes = FindKeyed(stat, memory.is_v2 ? "file" : "total_cache").value_or(0);
  ASSIGN_OR_RETURN(std::string processes, read(*roots_.Find("pids"), "pids.current"));
  usage.processes = ReadNumber(processes).value_or(0);
  if (const CgroupRoot* v2 = roots_.v2(); v2 != nullptr) {
    ASSIGN_OR_RETURN(std::string time, read(*v2, "cpu.stat"));
    usage.cpu_us = FindKeyed(time, "usage_usec").value_or(0);
  } else if (const CgroupRoot* time = roots_.Find("cpuacct"); time != nullptr) {
    ASSIGN_OR_RETURN(std::string nanoseconds, read(*time, "cpuacct.usage"));
    usage.cpu_us = ReadNumber(nanoseconds).value_or(0) / 1000;
  }
  return usage;
}

}  // namespace viv::runtime
