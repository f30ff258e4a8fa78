// Freezes and thaws a group. The kernel's notification comes 10 to 15 ms late, so that the state is
// polled instead.

#include <time.h>

#include "runtime/cgroup_files.h"
#include "runtime/kernel_cgroup.h"

namespace viv::runtime {
namespace {

bool IsInFreezeState(const CgroupRoot& root, const std::string& group, bool frozen) {
  std::string file = group + (root.is_v2 ? "/cgroup.events" : "/freezer.state");
  auto text = ReadKernelFile(root.folder.get(), file);
  if (!text) return false;
  if (root.is_v2) return FindKeyed(*text, "frozen").value_or(frozen ? 0 : 1) == (frozen ? 1 : 0);
  return text->starts_with(frozen ? "FROZEN" : "THAWED");
}

}  // namespace

bool WaitUntil(const std::function<bool()>& holds) {
  constexpr long kPauseMinNs = 20'000, kPauseMaxNs = 5'000'000, kPatienceNs = 5'000'000'000;
  long pause = kPauseMinNs;
  for (long waited = 0; waited < kPatienceNs; waited += pause) {
    if (holds()) return true;
    timespec time{0, pause};
    ::nanosleep(&time, nullptr);
    pause = std::min(pause * 3 / 2, kPauseMaxNs);
  }
  return holds();
}

Status KernelCgroup::SetFrozen(bool frozen) {
  const CgroupRoot* root = roots_.v2() != nullptr ? roots_.v2() : roots_.Find("freezer");
  const char* file = root->is_v2 ? "cgroup.freeze" : "freezer.state";
  const char* text = root->is_v2 ? (frozen ? "1" : "0") : (frozen ? "FROZEN" : "THAWED");
  RETURN_IF_ERROR(Write(*root, file, text));
  if (WaitUntil([&] { return IsInFreezeState(*root, name_, frozen); })) return {};
  if (frozen) std::ignore = Write(*root, file, root->is_v2 ? "0" : "THAWED");
  return Fail(ErrorCode::kUnavailable,
              frozen ? "a process did not stand still in time" : "a process did not go on in time");
}

Status KernelCgroup::Freeze() {
  return SetFrozen(true);
}

Status KernelCgroup::Thaw() {
  return SetFrozen(false);
}

}  // namespace viv::runtime
