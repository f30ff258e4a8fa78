#pragma once
// Whole folders copied and removed, for file systems that have no snapshots. The trees were made by
// boxes: nothing in them is followed, however deep or strange they are.

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

// The same, but `name` appears only once it is complete. Until then it has a name with this prefix.
constexpr std::string_view kUnfinishedPrefix = ".part-";
Status CopyTreeAtomically(int source, int parent, const std::string& name);

// Removes `parent`/`name`. Needs no more than two descriptors at any depth: folders inside are
// moved up beside it, under names that begin with `name`.
Status RemoveTree(int parent, const std::string& name);

}  // namespace viv::storage
