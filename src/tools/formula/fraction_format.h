#pragma once
// Number formats that show fractions: "# ?/?", "# ??/??", "0 0/8".

#include <string>
#include <string_view>

namespace viv::formula {

bool IsFractionFormat(std::string_view section);
std::string FormatFraction(double number, std::string_view section);  // not negative

}  // namespace viv::formula
