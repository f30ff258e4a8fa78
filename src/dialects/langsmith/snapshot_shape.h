#pragma once
// A snapshot as LangSmith's answers show it.

#include "base/json.h"
#include "dialects/langsmith/snapshot_records.h"

namespace viv::langsmith {

json::object ShowSnapshot(const KnownSnapshot& snapshot);

}  // namespace viv::langsmith
