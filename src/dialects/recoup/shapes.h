#pragma once
// How this API writes what the domain knows: sandboxes, their ids, and times.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "boxes/boxes.h"

namespace viv::recoup {

inline constexpr std::string_view kRunAnnotation =
    "recoup.run";  // of the box: the run it was made for

std::string IsoMs(std::int64_t micros);  // "2024-01-15T10:30:00.000Z"

std::string SandboxIdOf(const boxes::Box& box);  // "sbx_" and 20 of [a-z0-9]
// The box's own id; both ways of writing it are read, and nothing else.
std::optional<std::string> BoxIdOf(std::string_view sandbox_id);

std::string_view SandboxStatusOf(boxes::BoxState state);
// Until it stops by itself; 0 when it does not run.
std::int64_t RemainingMs(const boxes::Box& box, std::int64_t now_ms);
json::object ShowSandbox(const boxes::Box& box, std::int64_t now_ms);

}  // namespace viv::recoup
