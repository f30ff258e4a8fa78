#pragma once
// The bytes of one file into another, inside the kernel where it can.

#include <cstdint>

#include "agent/files/file_result.h"
#include "base/task.h"

namespace viv::agent {

// From where `from` stands to its end, to where `to` stands. `copied` tells how far it came, also
// when it failed; it outlives the call, as the descriptors do.
Task<FileResult<void>> CopyContent(int from, int to, std::uint64_t& copied);

}  // namespace viv::agent
