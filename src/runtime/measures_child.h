#pragma once
// The measures that contain.cc lists. Each returns 0 or an errno, and makes system calls only.

#include "runtime/contain.h"

namespace viv::runtime {

// Where CloseDescriptors leaves the two that stay.
constexpr int kListenerDescriptor = 3;
constexpr int kReportDescriptor = 4;

// session_child.cc
int StartSession(const Containment& box);
int JoinCgroups(const Containment& box);
int HideCgroups(const Containment& box);
int EnterNetwork(const Containment& box);
int SetHostname(const Containment& box);
int SetMemoryPriority(const Containment& box);
int SetResourceLimits(const Containment& box);
int TakeNewKeyring(const Containment& box);
int CloseDescriptors(const Containment& box);

// trees_child.cc
int MapLayers(const Containment& box);
int MountTrees(const Containment& box);
int EnterRoot(const Containment& box);

// devices_child.cc
int MakeDevices(const Containment& box);

// proc_child.cc
int MountProc(const Containment& box);
int MaskProc(const Containment& box);
int SetBootId(const Containment& box);

// powers_child.cc
int LayDownHostPowers(const Containment& box);
int BecomeBoxRoot(const Containment& box);
int BoundCapabilities(const Containment& box);
int DropCapabilities(const Containment& box);

// confine_child.cc
int ConfineToRoot(const Containment& box);
int FilterSystemCalls(const Containment& box);

// Shared by the mounts: a folder `name` below the current folder that is no link, made when it is
// missing.
int EnsureFolder(const char* name);
// Writes all of `text` to `fd`.
int WriteText(int fd, const char* text);

}  // namespace viv::runtime
