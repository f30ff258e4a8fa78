#pragma once
// Checks names in an archive, which are not trusted.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv {

constexpr std::size_t kArchivePathMax = 4096;
constexpr std::size_t kArchiveDepthMax = 200;

// The parts of a relative name; empty for the root itself ("./"). kInvalidArgument for an absolute
// name, one with "..", or one that no file system would take.
Result<std::vector<std::string>> SplitArchivePath(std::string_view name);

// Whether a symbolic link in folder `depth` levels below the root stays beneath it. An absolute
// target does: a box sees its own root.
bool LinkStaysInside(std::string_view target, std::size_t depth);

}  // namespace viv
