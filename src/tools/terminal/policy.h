#pragma once
// What a terminal allows: which commands, flags and operators, and how much. Each benchmark has its
// own policy; without one, Toolathlon's holds, whose list covers everyday work. A policy keeps an
// agent to the tools it was meant to have; what keeps it in is the box.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace viv::tools::terminal {

enum class Operators { kRefused, kAllowed };

struct Policy {
  std::vector<std::string_view> commands;  // sorted
  // What the rules say of flags, of which all are accepted in any case: the benchmark's recorded
  // rules list none, its own set-up since then allows all.
  std::string_view flags_shown = "All flags allowed";
  Operators operators = Operators::kRefused;
  std::size_t command_characters_max = 1024;
  std::chrono::seconds time_max{30};
  std::size_t output_characters_max = 0;  // 0: as much as a call may return at all
  std::size_t error_characters_max = 0;
};

constexpr std::string_view kCutMark = "...[output truncated]";

const Policy& PolicyFor(std::string_view profile);

// The texts in which a policy is told: to read through, and as the description of the tool.
std::string RulesText(const Policy& policy, const std::string& folder);
std::string CommandDescription(const Policy& policy, const std::string& folder);

}  // namespace viv::tools::terminal
