#include "runtime/contain.h"

#include <unistd.h>

#include <cerrno>

#include "runtime/containment_steps_child.h"

namespace viv::runtime {
namespace {

struct ContainmentStep {
  Step step;
  int (*take)(const Containment& box);  // 0 or an errno
};

// The order matters: each line says what it rests on.
constexpr ContainmentStep kContainmentSteps[] = {
    // Nothing of the spawner's signals, terminal or file mode mask goes on.
    {Step::kSession, StartSession},
    // First of all limits, so that everything after is paid by the box. v1 only; v2 was joined by
    // the clone itself.
    {Step::kCgroups, JoinCgroups},
    // After joining, so that the box sees its own group as the root.
    {Step::kCgroupNamespace, EnterCgroupNamespace},
    // The network namespace belongs to the host's user namespace: it is entered while we may.
    {Step::kNetwork, EnterNetworkNamespace},
    // An overlay does its work with the powers of who mounted it, and in his name. It gets the box
    // root's name, and of host root's powers only those for files, above all not the one that
    // passes disk quotas. Needs the spawner's securebits: a change of user alone drops no power.
    {Step::kHostCapabilities, DropHostCapabilities},
    // Files keep the owners the box sees on disk; these mounts move them into the box's range.
    {Step::kLayers, IdMapLayers},
    // The root and what is mounted in it. No devices; set-user-id stays, for sudo.
    {Step::kOverlays, MountOverlays},
    // A handful of devices, own terminals, limited shared memory.
    {Step::kDevices, MakeDevices},
    // Of the box's own pid namespace.
    {Step::kProc, MountProc},
    // What tells about the host is hidden, what would steer it is read-only.
    {Step::kProcMasks, MaskProc},
    // A new one per start, as after a reboot. Needs /dev, where the file lies, and /proc.
    {Step::kBootId, SetBootId},
    // From here on no path leads out of the box's root. Needs all mounts.
    {Step::kEnterRoot, EnterRoot},
    // Host root sets these; the box cannot.
    {Step::kHostname, SetHostname},
    {Step::kOomScore, SetOomScore},
    {Step::kResourceLimits, SetResourceLimits},
    // Keys of whoever started the server stay with him.
    {Step::kKeyring, JoinNewKeyring},
    // Host root ends here: uid 0 of the box's own range, with all powers over that range only.
    {Step::kIdentity, BecomeBoxRoot},
    // What root of the box, and every set-user-id program there, can ever have. After the identity:
    // entering a user namespace fills the set.
    {Step::kBoundingSet, ReduceBoundingSet},
    // The next two need CAP_SYS_ADMIN in the box's namespace, since no_new_privs would end sudo.
    {Step::kLandlock, ApplyLandlock},
    {Step::kSeccomp, InstallSeccompFilter},
    // The last power, so that everything above could still be set.
    {Step::kCapabilities, DropCapabilities},
    // Only the listener is left, and the pipe for the report, which closes with it.
    {Step::kDescriptors, CloseDescriptors},
};

void Report(int pipe, Step step, int error) {
  WireReply report{step, error, -1};
  // A spawner that is gone cannot tell the server of this box, so it must not stay.
  if (::write(pipe, &report, sizeof report) != sizeof report) ::_exit(1);
}

}  // namespace

int Contain(const Containment& box) {
  for (const ContainmentStep& step : kContainmentSteps) {
    if (int error = step.take(box); error != 0) {
      Report(box.report, step.step, error);
      ::_exit(1);
    }
  }
  Report(kReportDescriptor, Step::kNone, 0);
  ::close(kReportDescriptor);
  return kListenerDescriptor;
}

}  // namespace viv::runtime
