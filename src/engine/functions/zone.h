#pragma once
// Time zones by name. A name is checked before Abseil sees it: Abseil would open any path, and it
// remembers every name it was asked for.

#include <absl/time/time.h>

#include <string_view>

#include "base/result.h"

namespace viv::engine::functions {

// "Europe/Berlin", "UTC", "Z", or an offset such as "+02:00".
Result<absl::TimeZone> FindZone(std::string_view name);

// The first moment at which the clocks of the zone show `civil` or, where they skip it, the moment
// that the clock before the skip would have shown so.
absl::Time Moment(absl::CivilSecond civil, absl::TimeZone zone);

}  // namespace viv::engine::functions
