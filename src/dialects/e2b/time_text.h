#pragma once
// Points in time as the API writes them: RFC 3339 in UTC, ending in Z.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace viv::e2b {

std::string TimeText(std::int64_t micros);  // "2026-10-03T00:38:42.322085Z"

// Microseconds since 1970; any offset and any number of fraction digits. Nothing for other text.
std::optional<std::int64_t> ParseTime(std::string_view text);

}  // namespace viv::e2b
