#pragma once
// The protocol between launcher and spawner: one packet with descriptors each way per box. Both
// programs are of one build and run on one machine, so that structs are sent as they are in memory.

#include <linux/filter.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::runtime {

// The steps of containment and of the spawner itself. An error names the step that failed.
enum class Step : std::uint32_t {
  kNone,
  kSpawnerMounts,
  kSpawnerRoot,
  kUserNamespace,
  kIdMap,
  kClone,
  kSession,
  kCgroups,
  kCgroupNamespace,
  kNetwork,
  kHostCapabilities,
  kLayers,
  kOverlays,
  kDevices,
  kProc,
  kProcMasks,
  kBootId,
  kEnterRoot,
  kHostname,
  kOomScore,
  kResourceLimits,
  kKeyring,
  kIdentity,
  kBoundingSet,
  kLandlock,
  kSeccomp,
  kCapabilities,
  kDescriptors,
  kDied,      // the clone ended without a report
  kTimedOut,  // it took too long and was killed
};

// "mount the overlays"; for messages.
const char* StepText(Step step);

constexpr std::uint32_t kWireVersion = 1;
constexpr std::size_t kNameBytes = 64;
constexpr std::size_t kOverlaysMax = 8;
constexpr std::size_t kLayersMax = 128;
constexpr std::size_t kTasksFilesMax = 12;
constexpr std::size_t kFilterMax = 4096;  // instructions; the kernel's own limit

// The first packet, from the launcher; `filter_count` instructions follow.
struct WireSetup {
  std::uint32_t version = kWireVersion;
  std::uint32_t landlock = 0;
  std::uint32_t filter_count = 0;
};

struct WireOverlay {
  char mount_point[kNameBytes] = {};
  std::uint32_t layer_count = 0;
};

// With descriptors in this order: listener, network, folder, the v2 cgroup if there is one, the v1
// tasks files, the layers overlay by overlay.
struct WireRequest {
  std::uint32_t slot = 0;
  std::uint32_t has_v2_cgroup = 0;
  std::uint32_t tasks_count = 0;
  std::uint32_t overlay_count = 0;
  std::int64_t shm_bytes = 0;
  char hostname[kNameBytes] = {};
  WireOverlay overlays[kOverlaysMax] = {};
};

// With a pidfd when `step` is kNone. Also the answer to WireSetup, without one.
struct WireReply {
  Step step = Step::kNone;
  std::int32_t error = 0;
  std::int32_t pid = -1;
};

struct Packet {
  std::vector<std::byte> bytes;
  std::vector<UniqueFd> descriptors;
};

constexpr std::size_t kPacketMax = sizeof(WireSetup) + kFilterMax * sizeof(sock_filter);

Status SendPacket(int socket,
                  const void* bytes,
                  std::size_t size,
                  const std::vector<int>& descriptors);
// kUnavailable once the other side is gone. At most `size_max` bytes; more is an error.
Result<Packet> ReceivePacket(int socket, std::size_t size_max = kPacketMax);

}  // namespace viv::runtime
