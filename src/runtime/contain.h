#pragma once
// How a process becomes a box. The spawner clones it as host root into fresh mount, pid, ipc and
// uts namespaces; the clone performs the steps of one list (contain.cc) in order, and is then root
// of the box and nothing more. The mount namespace is made before the user namespace is entered, so
// it belongs to the host: no process in a box, whatever it does, has capabilities over these
// mounts.
// Everything that the steps need is prepared before the clone; between the clone and the agent only
// system calls are made. The functions that run there are in files named *_child.cc.

#include <linux/filter.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "runtime/wire.h"

namespace viv::runtime {

// What the steps need to know. Plain data: every pointer points to memory that the spawner owns.
struct Containment {
  std::uint32_t first_id = 0;  // of the box's range of users and groups
  int user_namespace = -1;     // with its id map written
  int network = -1;
  int listener = -1;
  int report = -1;  // a pipe to the spawner
  const int* tasks_files = nullptr;
  std::size_t tasks_count = 0;
  int folder = -1;              // the box's own folder, a detached mount
  const int* layers = nullptr;  // detached mounts, those of the first overlay first
  std::size_t layer_count = 0;

  struct OverlayMountOptions {
    const char* mount_point;  // "" or a name
    const char* options;      // of its overlay
  };
  const OverlayMountOptions* overlays = nullptr;
  std::size_t overlay_count = 0;

  const char* hostname = "";
  const char* device_options = "";    // of the tmpfs at /dev
  const char* terminal_options = "";  // of the devpts at /dev/pts
  const char* boot_id = "";           // with its line end
  bool landlock = false;
  const sock_fprog* filter = nullptr;
};

// Paths in the spawner's root, which a box never sees.
constexpr char kSpawnerRoot[] = "/root";  // the box's root file system is mounted here
constexpr char kSpawnerFolder[] =
    "/folder";  // the box's folder: the upper and work directories of its overlays
constexpr char kSpawnerLayers[] = "/layers";  // /layers/0 and so on
constexpr char kSpawnerEmptyFolder[] = "/empty";
constexpr char kSpawnerEmptyFile[] = "/nothing";

// Performs every step. Returns the descriptor of the listener, the only one that is open beside 0
// to 2. When a step fails, it reports the step and does not return.
int Contain(const Containment& box);

}  // namespace viv::runtime
