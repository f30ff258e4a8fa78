#pragma once
// Times as people and APIs write them. A time is milliseconds since 1970 UTC, between the years 1
// and 9999, which is what four digits can say.

#include <absl/time/time.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::engine::functions {

constexpr std::int64_t kTimeMsMin = -62135596800000;  // 0001-01-01T00:00:00Z
constexpr std::int64_t kTimeMsMax = 253402300799999;  // 9999-12-31T23:59:59.999Z

// A date, alone (midnight) or with HH:MM[:SS[.fraction]] and, after that, Z or an offset. Without
// an offset it is in `zone`. Nothing when the text is no such time.
std::optional<std::int64_t> ParseTime(std::string_view text, absl::TimeZone zone);

// `format` is one of rfc3339, rfc3339ms, jira, rfc2822, date, or as absl::FormatTime takes it.
Result<std::string> FormatTime(std::int64_t time_ms, std::string_view format, absl::TimeZone zone);

// The time when it lies in the years 1 to 9999.
Result<std::int64_t> CheckTime(std::int64_t time_ms);

}  // namespace viv::engine::functions
