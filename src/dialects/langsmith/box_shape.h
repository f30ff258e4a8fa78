#pragma once
// A box as LangSmith's answers show it.

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "dialects/langsmith/context.h"

namespace viv::langsmith {

// "provisioning", "ready", "stopped" or "failed". "deleting" is never seen: a box that is being
// removed is gone already.
std::string_view StatusOf(boxes::BoxState state);
inline constexpr std::string_view kBoxStatuses[] = {"provisioning", "ready", "failed", "stopped",
                                                    "deleting"};

// `origin` is what OriginOf gave.
json::object ShowBox(const std::string& origin, const boxes::Box& box);
json::object ShowStatus(const boxes::Box& box);

}  // namespace viv::langsmith
