#pragma once
// Faults to inject into a sandbox: errors, rate limits and latency by tool, so that an agent can be
// trained and tested on a world that misbehaves. Faults are counted, not random: the same calls get
// the same faults.
//
//   {"faults": [{"tool": "slack_*", "error": "internal_error", "times": 2},
//               {"tool": "*", "latency_ms": 300},
//               {"tool": "jira_search", "rate_limit": {"calls": 5, "retry_after_s": 30}, "every":
//               3}]}

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace viv::worlds {

struct FaultEffect {
  std::int64_t latency_ms = 0;
  std::optional<std::string>
      error;                  // the tool fails with this text, and nothing happens in the world
  std::optional<int> status;  // the HTTP answer itself has this status
  std::int64_t retry_after_s = 0;  // with a status
};

// Thread-safe.
class Faults {
 public:
  // Checks and takes over `document`; on an error nothing changes.
  Status Set(const json::value& document);
  json::value Describe() const;

  // The faults of the next call of that tool; counts the call.
  FaultEffect Next(std::string_view tool);

 private:
  struct Rule {
    std::string tool;  // may contain '*'
    FaultEffect effect;
    std::int64_t after = 0;             // calls that pass first (a rate limit)
    std::int64_t every = 1;             // each n-th call
    std::optional<std::int64_t> times;  // how often it applies at most
    std::int64_t seen = 0;
    std::int64_t done = 0;
  };
  static Result<Rule> ReadRule(const json::value& value);

  mutable std::mutex mutex_;
  std::vector<Rule> rules_;  // guarded
  json::value document_ = json::object{{"faults", json::array()}};
};

}  // namespace viv::worlds
