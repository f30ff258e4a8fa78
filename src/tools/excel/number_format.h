#pragma once
// Number formats: the codes that are numbered by the standard, and what a code says about a number.

#include <cstdint>
#include <optional>
#include <string_view>

namespace viv::tools::excel {

constexpr std::uint32_t kFirstOwnNumberFormat = 164;

// "" for a number the standard leaves to languages.
std::string_view StandardNumberFormat(std::uint32_t id);
std::optional<std::uint32_t> FindStandardNumberFormat(std::string_view code);

bool IsDateFormat(std::string_view code);      // a date, a time or both
bool IsDurationFormat(std::string_view code);  // elapsed time: "[h]:mm:ss"

}  // namespace viv::tools::excel
