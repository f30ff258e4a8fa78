#pragma once
// LIKE of the product: % and _, letters as they are, in at most text times pattern steps.

#include <string_view>

namespace viv::engine::guest_sql {

bool LikeMatches(std::string_view text, std::string_view pattern, std::string_view escape = {});

}  // namespace viv::engine::guest_sql
