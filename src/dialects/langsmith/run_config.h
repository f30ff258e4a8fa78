#pragma once
// What commands run with: user, folder and variables. It has layers (image, snapshot, box,
// command), of which a later one replaces user and folder and adds its variables.

#include <optional>
#include <string>

#include "base/json.h"
#include "dialects/langsmith/checked.h"
#include "dialects/langsmith/variables.h"

namespace viv::langsmith {

struct RunConfig {
  std::optional<std::string> user;
  std::optional<std::string> work_dir;  // absolute
  Variables env_vars;

  bool empty() const { return !user && !work_dir && env_vars.empty(); }
};

// Of a request, or of what ShowRunConfig gave; null is an empty one. Errors name fields below
// "run_config".
Checked<RunConfig> ReadRunConfig(const json::value& given);
RunConfig OverlayRunConfig(RunConfig base, const RunConfig& overlay);
json::object ShowRunConfig(const RunConfig& config);  // also its stored form

}  // namespace viv::langsmith
