#pragma once
// The two times of a box, in seconds: so long without work and it is stopped; so long stopped and
// it is removed. Multiples of 60; 0 is never.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json.h"
#include "dialects/langsmith/checked.h"

namespace viv::langsmith {

inline constexpr std::int64_t kIdleTtlDefaultSeconds = 600;
inline constexpr std::int64_t kDeleteAfterStopDefaultSeconds = 14 * 86'400;

// The member `field` of a body ("idle_ttl_seconds", "delete_after_stop_seconds"); nothing when it
// is absent.
Checked<std::optional<std::int64_t>> ReadTtl(const json::value& body, std::string_view field);

}  // namespace viv::langsmith
