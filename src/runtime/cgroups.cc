#include "runtime/cgroups.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "runtime/cgroup_files.h"
#include "runtime/cgroup_layout.h"
#include "runtime/cgroup_roots.h"
#include "runtime/kernel_cgroup.h"

namespace viv::runtime {
namespace {

constexpr std::size_t kGroupNameMax = 64;

bool IsGroupName(std::string_view name) {
  return !name.empty() && name.size() <= kGroupNameMax &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_';
         });
}

class KernelCgroups : public Cgroups {
 public:
  explicit KernelCgroups(CgroupRoots roots) : roots_(std::move(roots)) {}
  ~KernelCgroups() override {
    // The kernel refuses while a box lives below; a later server finds it there.
    for (const CgroupRoot& root : roots_.all()) ::rmdir(root.path.c_str());
  }

  Result<std::unique_ptr<Cgroup>> Make(const std::string& name, const Limits& limits) override {
    if (!IsGroupName(name))
      return Fail(ErrorCode::kInvalidArgument, "bad name of a control group: '" + name + "'");
    auto group = std::make_unique<KernelCgroup>(roots_, name);
    RETURN_IF_ERROR(group->MakeFolders());
    if (Status limited = group->SetLimits(limits); !limited) {
      std::ignore = group->RemoveFolders();
      return PassUp(std::move(limited).error(), "limit a box");
    }
    return group;
  }

  Result<std::unique_ptr<Cgroup>> Find(const std::string& name) override {
    auto group = std::make_unique<KernelCgroup>(roots_, name);
    if (!IsGroupName(name) || !group->exists())
      return Fail(ErrorCode::kNotFound, "no control group '" + name + "'");
    return group;
  }

  Status Remove(std::unique_ptr<Cgroup> cgroup) override {
    KernelCgroup group(roots_, cgroup->name());
    if (!group.exists()) return {};
    RETURN_IF_ERROR(group.Kill(), "end a box");
    bool ended = WaitUntil([&] { return group.empty(); });
    if (!ended)
      return Fail(ErrorCode::kUnavailable,
                  "end a box: processes in group " + group.name() + " do not die");
    return group.RemoveFolders();
  }

  Status TryRemove(const Cgroup& cgroup) override {
    KernelCgroup group(roots_, cgroup.name());
    if (!group.empty())
      return Fail(ErrorCode::kUnavailable, "processes in group " + group.name() + " do not die");
    return group.TryRemoveFolders();
  }

  std::int64_t ReadDirtyBytes() const override {
    const CgroupRoot& memory = *roots_.Find("memory");
    auto stat = ReadKernelFile(memory.folder.get(), "memory.stat");
    if (!stat) return 0;
    return FindKeyed(*stat, memory.is_v2 ? "file_dirty" : "total_dirty").value_or(0) +
           FindKeyed(*stat, memory.is_v2 ? "file_writeback" : "total_writeback").value_or(0);
  }

  std::vector<std::string> List() override {
    std::set<std::string> names;
    for (const CgroupRoot& root : roots_.all()) {
      UniqueFd again(::openat(root.folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      DIR* listing = again ? ::fdopendir(again.release()) : nullptr;
      if (listing == nullptr) continue;
      while (dirent* entry = ::readdir(listing)) {
        if (entry->d_type == DT_DIR && IsGroupName(entry->d_name)) names.insert(entry->d_name);
      }
      ::closedir(listing);
    }
    return {names.begin(), names.end()};
  }

 private:
  CgroupRoots roots_;
};

}  // namespace

Result<std::unique_ptr<Cgroups>> Cgroups::Open(const std::string& tag) {
  if (!IsGroupName(tag))
    return Fail(ErrorCode::kInvalidArgument, "bad tag for control groups: '" + tag + "'");
  ASSIGN_OR_RETURN(CgroupLayout layout, FindCgroupLayout(), "find control groups");
  ASSIGN_OR_RETURN(CgroupRoots roots, CgroupRoots::Open(layout, "vivarium-" + tag),
                   "open control groups");
  return std::make_unique<KernelCgroups>(std::move(roots));
}

}  // namespace viv::runtime
