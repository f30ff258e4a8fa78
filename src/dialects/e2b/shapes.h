#pragma once
// A box in the API's shapes: Sandbox (what create and connect answer), ListedSandbox and
// SandboxDetail.

#include <string>

#include "base/json.h"
#include "dialects/e2b/context.h"

namespace viv::e2b {

inline constexpr std::string_view kAgentVersion = "0.6.13";  // of envd, whose protocol boxes speak
inline constexpr std::string_view kClientId = "6532622b";    // clients want one and use none

json::object ShowSandbox(const Context& context, const boxes::Box& box);
json::object ShowListed(const boxes::Box& box);
json::object ShowDetail(const Context& context, const boxes::Box& box);

bool IsRunning(const boxes::Box& box);

// Sizes as the API counts them.
std::int64_t CpuCount(double cpus);
std::int64_t Mebibytes(std::int64_t bytes);

}  // namespace viv::e2b
