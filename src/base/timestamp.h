#pragma once
// Points in time as APIs write them: RFC 3339 in UTC.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace viv {

struct Timestamp {
  std::int64_t seconds = 0;  // since 1970
  int nanos = 0;             // 0 to 999,999,999, forward from `seconds`

  friend bool operator==(const Timestamp&, const Timestamp&) = default;
};

// "2026-10-03T00:38:42.322085214Z", as many digits as needed; times outside the years 1 to 9999
// become the nearest within.
std::string FormatTimestamp(Timestamp time);
// Nothing when `text` is no RFC 3339 time of the years 1 to 9999. Any offset is accepted.
std::optional<Timestamp> ParseTimestamp(std::string_view text);

// The same in microseconds since 1970; always six digits.
std::string TimeText(std::int64_t micros);
std::optional<std::int64_t> ParseTime(std::string_view text);

}  // namespace viv
