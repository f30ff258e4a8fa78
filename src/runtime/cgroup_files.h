#pragma once
// The small files of cgroupfs and procfs, which are read and written as a whole.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::runtime {

Result<std::string> ReadKernelFile(int folder, const std::string& path);
// Writes `text` with one write(); kNotFound when there is no such file.
Status WriteKernelFile(int folder, const std::string& path, std::string_view text);
bool KernelFileExists(int folder, const std::string& path);

// The number after `key` in lines of "key number": memory.stat, cpu.stat, cgroup.events.
std::optional<std::int64_t> FindKeyed(std::string_view text, std::string_view key);
// The number in a file of one number; nothing for "max" and for anything else that is no number.
std::optional<std::int64_t> ReadNumber(std::string_view text);

}  // namespace viv::runtime
