#pragma once
// The occurrences of a recurring event. A rule repeats by the wall clock of the event's zone, so a
// meeting at nine stays at nine when the clocks change. The work is bounded, whatever the rule
// says.

#include <absl/time/time.h>

#include <cstdint>
#include <vector>

#include "engine/functions/rrule_parse.h"

namespace viv::engine::functions {

constexpr std::int64_t kOccurrencesMax = 10000;

struct Recurrence {
  std::int64_t start_ms = 0;  // of the first occurrence
  absl::TimeZone zone;
  RruleSet set;
};

struct Window {
  std::int64_t from_ms = 0;  // inclusive
  std::int64_t to_ms = 0;    // exclusive
  std::int64_t limit = kOccurrencesMax;
};

// The starts of the occurrences in the window, ascending, the first `limit` of them. Without an
// RRULE the start itself is an occurrence; with one it is only when the rule says so.
std::vector<std::int64_t> Expand(const Recurrence& recurrence, const Window& window);

}  // namespace viv::engine::functions
