#pragma once
// Moves the content of one folder into another of the same file system. Folders that both have are
// joined; a file takes the place of a file. Links are never followed.

#include "base/result.h"

namespace viv::tools {

// kConflict when something that is a folder in one is none in the other. Changes nothing.
Status CheckMerge(int from, int into);
// After that check. What stood in the way since then stops it half-way.
Status ApplyMerge(int from, int into);

}  // namespace viv::tools
