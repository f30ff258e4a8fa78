#pragma once
// LIKE of the product: % and _, letters as they are, in at most text times pattern steps.

#include <string_view>

#include "engine/limits/text_search.h"

namespace viv::engine::guest_sql {

// False as well when the work of the call has ended before there was an answer.
inline bool LikeMatches(std::string_view text,
                        std::string_view pattern,
                        std::string_view escape = {}) {
  return MatchWildcards(text, {.pattern = pattern, .escape = escape}).value_or(false);
}

}  // namespace viv::engine::guest_sql
