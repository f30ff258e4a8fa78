#pragma once
// Snapshots as LangSmith names them: a UUID, or a name with a tag. The domain stores the files;
// what it does not know (tags, labels, run_config, builds from an image) is an entry of
// Context::snapshots with the domain's id.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "dialects/langsmith/context.h"

namespace viv::langsmith {

struct ResolvedSnapshot {
  std::string template_name;    // for CreateBox
  json::value run_config;       // an object, or null when it has none
  std::string id;               // UUID
  std::int64_t disk_bytes = 0;  // its fs_capacity_bytes
  std::map<std::string, std::string> labels;
};

// What a box can start from: a UUID, "name:tag", or a bare name, which is "name:latest" and else
// the newest ready one without a tag. kNotFound when the account has no such snapshot, kConflict
// while it is being built, kInvalidArgument when its build failed.
Result<ResolvedSnapshot> ResolveSnapshot(const Context& context,
                                         std::string_view account_id,
                                         std::string_view ref);

}  // namespace viv::langsmith
