#pragma once
// The three-way merge of texts by lines, as diff3 and git do it: what only one side changed is
// taken, what both changed alike is taken once, and anything else is a conflict. Changes that touch
// each other conflict too.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::engine::functions {

struct MergeInput {
  std::string_view base;
  std::string_view ours;
  std::string_view theirs;
};

// The merged text; nothing on a conflict.
Result<std::optional<std::string>> MergeThree(const MergeInput& input);

}  // namespace viv::engine::functions
