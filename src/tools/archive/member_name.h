#pragma once
// Names inside an archive, as strangers wrote them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::tools {

constexpr std::size_t kMemberNameMax = 4096;
constexpr std::size_t kMemberDepthMax = 200;

// The parts of a relative name; none for the root itself (".", "./"). kInvalidArgument for an
// absolute name, one with "..", or one that no file system would take.
Result<std::vector<std::string>> SplitMemberName(std::string_view name);

// Whether a symbolic link that lies `depth` folders below the root stays beneath it by its
// spelling; an absolute one never does.
bool LinkStaysBelow(std::string_view target, std::size_t depth);

std::string JoinParts(const std::vector<std::string>& parts);  // "a/b"
std::string Shown(std::string_view name);                      // fit for a message
tl::unexpected<Error> Refuse(std::string_view name, std::string_view why);

}  // namespace viv::tools
