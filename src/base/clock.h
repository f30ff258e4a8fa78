#pragma once
// Wall-clock time as milliseconds since 1970 (UTC), and its ISO 8601 form. Whoever needs the time
// in a way that tests must control takes a `Clock` in its constructor.

#include <cstdint>
#include <functional>
#include <string>

namespace viv {

using Clock = std::function<std::int64_t()>;  // milliseconds since 1970

std::int64_t NowMs();
std::int64_t NowMicros();

// "2026-02-16T12:45:25.770231+00:00" for UTC with microseconds, the form pydantic writes.
std::string IsoMicros(std::int64_t micros);

}  // namespace viv
