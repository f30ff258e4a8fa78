#pragma once
// The rules by which apply_formula and validate_formula_syntax accept a formula. They look at the
// text alone and are coarser than the parser: clients match on their words.

#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::formula {

// `formula` with its "=". The error's message is the refusal: "Formula must start with '='",
// "Unmatched closing parenthesis", "Unclosed parenthesis" or "Unsafe function: INDIRECT".
Status ValidateFormula(std::string_view formula);

}  // namespace viv::formula
