#pragma once
// The difference of two texts, line by line, as a patch in the unified format. The edits are the
// fewest possible (Myers' algorithm) unless there are thousands: then the changed middle counts as
// one replacement, so that a text can always be shown in reasonable time.

#include <string>
#include <string_view>

namespace viv::tools::filesystem {

// With an Index line, both file names, and four lines of context around each change.
std::string UnifiedDiff(std::string_view before, std::string_view after, std::string_view name);

}  // namespace viv::tools::filesystem
