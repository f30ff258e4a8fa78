#pragma once
// The steps that contain.cc lists. Each returns 0 or an errno, and makes system calls only.

#include "runtime/contain.h"

namespace viv::runtime {

// The two descriptors that CloseDescriptors leaves open.
constexpr int kListenerDescriptor = 3;
constexpr int kReportDescriptor = 4;

// session_child.cc
int StartSession(const Containment& box);
int JoinCgroups(const Containment& box);
int EnterCgroupNamespace(const Containment& box);
int EnterNetworkNamespace(const Containment& box);
int SetHostname(const Containment& box);
int SetOomScore(const Containment& box);
int SetResourceLimits(const Containment& box);
int JoinNewKeyring(const Containment& box);
int CloseDescriptors(const Containment& box);

// overlays_child.cc
int IdMapLayers(const Containment& box);
int MountOverlays(const Containment& box);
int EnterRoot(const Containment& box);

// devices_child.cc
int MakeDevices(const Containment& box);

// proc_child.cc
int MountProc(const Containment& box);
int MaskProc(const Containment& box);
int SetBootId(const Containment& box);

// capabilities_child.cc
int DropHostCapabilities(const Containment& box);
int BecomeBoxRoot(const Containment& box);
int ReduceBoundingSet(const Containment& box);
int DropCapabilities(const Containment& box);

// landlock_seccomp_child.cc
int ApplyLandlock(const Containment& box);
int InstallSeccompFilter(const Containment& box);

// Checks that `name` below the current folder is a folder and no link, and creates it when it is
// missing.
int EnsureFolder(const char* name);
// Writes all of `text` to `fd`.
int WriteText(int fd, const char* text);

}  // namespace viv::runtime
