#include "runtime/contain.h"

#include <unistd.h>

#include <cerrno>

#include "runtime/containment_steps_child.h"

namespace viv::runtime {
namespace {

struct ContainmentStep {
  Step id;
  int (*run)(const Containment& box);  // returns 0 or an errno
};

// The order matters: the comment of each step says what it depends on.
constexpr ContainmentStep kContainmentSteps[] = {
    // Resets the signals, the terminal and the file mode mask that the clone has from the spawner.
    {Step::kSession, StartSession},
    // Comes before everything else that uses memory, so that the box is charged for it. v1 only:
    // clone3 has joined v2.
    {Step::kCgroups, JoinCgroups},
    // Comes after joining, so that the box sees its own group as the root.
    {Step::kCgroupNamespace, EnterCgroupNamespace},
    // The network namespace belongs to the host's user namespace, so that only host root may enter
    // it.
    {Step::kNetwork, EnterNetworkNamespace},
    // An overlay accesses its layers with the credentials of the process that mounted it. It gets
    // the box root's fsuid, and of host root's capabilities only those for files, above all not
    // CAP_SYS_RESOURCE, which overrides disk quotas. Needs the spawner's securebits, with which a
    // change of user drops no capability.
    {Step::kHostCapabilities, DropHostCapabilities},
    // On disk files have the owners that the box sees; these mounts map them into the box's range
    // of ids.
    {Step::kLayers, IdMapLayers},
    // The root's overlay and those mounted in it. Devices are disabled; set-user-id works, for
    // sudo.
    {Step::kOverlays, MountOverlays},
    // A few devices, terminals of the box's own, limited shared memory.
    {Step::kDevices, MakeDevices},
    // The /proc of the box's own pid namespace.
    {Step::kProc, MountProc},
    // Hides the files that tell about the host, and makes those that change it read-only.
    {Step::kProcMasks, MaskProc},
    // A box gets a new boot id at each start, as after a reboot. Needs /proc, and /dev, which holds
    // the file.
    {Step::kBootId, SetBootId},
    // From here on no path leads out of the box's root. Comes after all mounts.
    {Step::kEnterRoot, EnterRoot},
    // Only host root may set these.
    {Step::kHostname, SetHostname},
    {Step::kOomScore, SetOomScore},
    {Step::kResourceLimits, SetResourceLimits},
    // The box does not get the keyring of the user who started the server.
    {Step::kKeyring, JoinNewKeyring},
    // From here on the process is uid 0 of the box's own range, with capabilities over that range
    // only.
    {Step::kIdentity, BecomeBoxRoot},
    // The capabilities that root of the box, and every set-user-id program there, can ever have.
    // Comes after the identity, because entering a user namespace fills the set.
    {Step::kBoundingSet, ReduceBoundingSet},
    // The next two need CAP_SYS_ADMIN in the box's namespace, since no_new_privs would end sudo.
    {Step::kLandlock, ApplyLandlock},
    {Step::kSeccomp, InstallSeccompFilter},
    // Comes last of the capabilities, because the steps above need them.
    {Step::kCapabilities, DropCapabilities},
    // Leaves the listener open, and the pipe for the report, which is closed after it.
    {Step::kDescriptors, CloseDescriptors},
};

void Report(int pipe, Step step, int error) {
  WireReply report{step, error, -1};
  // Without a spawner the server never learns of this box, so that the box must end.
  if (::write(pipe, &report, sizeof report) != sizeof report) ::_exit(1);
}

}  // namespace

int Contain(const Containment& box) {
  for (const ContainmentStep& step : kContainmentSteps) {
    if (int error = step.run(box); error != 0) {
      Report(box.report, step.id, error);
      ::_exit(1);
    }
  }
  Report(kReportDescriptor, Step::kNone, 0);
  ::close(kReportDescriptor);
  return kListenerDescriptor;
}

}  // namespace viv::runtime
