#include "agent/files/fs_user.h"

#include <linux/capability.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"

namespace viv::agent {
namespace {

thread_local bool fs_user_changed = false;

// libc's setgroups would change every thread of the process.
bool SetThreadGroups(const std::vector<gid_t>& groups) {
  return ::syscall(SYS_setgroups, groups.size(), groups.data()) == 0;
}

std::vector<gid_t> ThreadGroups() {
  std::vector<gid_t> groups;
  int count = ::getgroups(0, nullptr);
  if (count <= 0) return groups;
  groups.resize(count);
  count = ::getgroups(count, groups.data());
  groups.resize(count < 0 ? 0 : count);
  return groups;
}

// Saves the capabilities of this thread and restores them.
class SavedCapabilities {
 public:
  SavedCapabilities() { read_ = ::syscall(SYS_capget, &header_, data_) == 0; }
  bool Restore() { return read_ && ::syscall(SYS_capset, &header_, data_) == 0; }

 private:
  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data_[_LINUX_CAPABILITY_U32S_3]{};
  bool read_ = false;
};

// setfsuid and setfsgid return the previous id and no error, so that a second call checks the
// first.
constexpr uid_t kNoId = static_cast<uid_t>(-1);

bool SetFsUid(uid_t uid) {
  ::setfsuid(uid);
  return static_cast<uid_t>(::setfsuid(kNoId)) == uid;
}

bool SetFsGid(gid_t gid) {
  ::setfsgid(gid);
  return static_cast<gid_t>(::setfsgid(kNoId)) == gid;
}

}  // namespace

ScopedFsUser::ScopedFsUser(const User& user, Rights rights) {
  CHECK(!fs_user_changed);
  fs_user_changed = true;
  uid_before_ = ::setfsuid(kNoId);
  gid_before_ = ::setfsgid(kNoId);
  if (user.uid == uid_before_ && user.gid == gid_before_ && user.uid == 0) {
    succeeded_ = true;  // root needs none of its groups
    return;
  }
  groups_before_ = ThreadGroups();
  changed_ = true;
  SavedCapabilities capabilities;
  // The user id comes last, because the other calls need root's capabilities.
  succeeded_ = SetThreadGroups(user.groups) && SetFsGid(user.gid) && SetFsUid(user.uid);
  if (succeeded_ && rights == Rights::kRoot) succeeded_ = capabilities.Restore();
}

ScopedFsUser::~ScopedFsUser() {
  fs_user_changed = false;
  if (!changed_) return;
  // An agent that cannot become root again would fail every later call.
  CHECK(SetFsUid(uid_before_));
  CHECK(SetFsGid(gid_before_));
  CHECK(SetThreadGroups(groups_before_) || !succeeded_);
}

}  // namespace viv::agent
