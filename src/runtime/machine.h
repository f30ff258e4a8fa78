#pragma once
// Checks which isolation features this machine supports, by trying each of them.

#include <string>
#include <vector>

#include "base/result.h"

namespace viv::runtime {

struct MachineCheck {
  enum class State { kPresent, kDegraded, kMissing };  // boxes cannot run without a missing one
  std::string name;                                    // "user namespaces"
  State state = State::kPresent;
  std::string finding;  // "6 kinds, id-mapped mounts"
  std::string advice;   // what to do about it; empty when present
};

// Takes some milliseconds. `agent` is the path of viv-agent; `data_folder` is where templates and
// boxes keep their files.
std::vector<MachineCheck> ProbeMachine(const std::string& agent,
                                       const std::string& data_folder = "/");

// Lets the machine's table of open files (fs.file-max) grow as memory does, as systemd does at
// boot: an open file is charged to the memory of the box that holds it, while this one number for
// all is a thing that one box could use up.
Status RaiseFileMax();

}  // namespace viv::runtime
