#pragma once
// Copies and removes directory trees, for file systems without snapshots. Boxes made the content,
// so that no link is followed and any depth is handled.

#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::storage {

constexpr std::size_t kTreeDepthMax = 256;  // open folders at once, while copying
constexpr std::size_t kTreeEntriesMax = 4'000'000;

// Copies folder `source` to the new folder `parent`/`name` with owners, modes, times, extended
// attributes, hard links and whiteouts. File data is shared where the file system can. A failure
// may leave a part of it.
Status CopyTree(int source, int parent, const std::string& name);

// The same, but the copy has a name with this prefix until it is complete, and `name` only then.
constexpr std::string_view kUnfinishedPrefix = ".part-";
Status CopyTreeAtomically(int source, int parent, const std::string& name);

// Removes `parent`/`name`. Needs no more than two descriptors at any depth: folders inside are
// moved up beside it, under names that begin with `name`.
Status RemoveTree(int parent, const std::string& name);

}  // namespace viv::storage
