#pragma once
// google.protobuf.Timestamp as proto3's JSON has it: RFC 3339 in UTC with as many digits as needed.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace viv::connect {

struct Timestamp {
  std::int64_t seconds = 0;  // since 1970
  int nanos = 0;             // 0 to 999,999,999, forward from `seconds`

  friend bool operator==(const Timestamp&, const Timestamp&) = default;
};

// "2026-10-03T00:38:42.322085214Z"; times outside the years 1 to 9999 become the nearest within.
std::string FormatTimestamp(Timestamp time);
// Nothing when `text` is no RFC 3339 time of the years 1 to 9999. Any offset is accepted.
std::optional<Timestamp> ParseTimestamp(std::string_view text);

}  // namespace viv::connect
