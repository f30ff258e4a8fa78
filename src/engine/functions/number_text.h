#pragma once
// A floating-point number as Python's repr writes it: the fewest digits that read back the same,
// "1.0", "0.1", "1e+16", "1e-05", "inf", "nan".

#include <string>

namespace viv::engine::functions {

std::string ShortestNumber(double number);

}  // namespace viv::engine::functions
