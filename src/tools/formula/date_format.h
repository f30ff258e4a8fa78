#pragma once
// The date and time side of number formats: yyyy-mm-dd, h:mm AM/PM, [h]:mm:ss.00.

#include <string>
#include <string_view>

namespace viv::formula {

// Whether the section asks for parts of a date or a time.
bool IsDateFormat(std::string_view section);
std::string FormatDate(double serial, std::string_view section);

}  // namespace viv::formula
