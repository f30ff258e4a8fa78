#pragma once
// Copies the bytes of one file into another, within the kernel where it supports that.

#include <cstdint>

#include "agent/files/file_result.h"
#include "base/task.h"

namespace viv::agent {

// Copies from the offset of `from` to its end, to the offset of `to`. `copied` counts the bytes,
// also after a failure; it outlives the call, as the descriptors do.
Task<FileResult<void>> CopyContent(int from, int to, std::uint64_t& copied);

}  // namespace viv::agent
