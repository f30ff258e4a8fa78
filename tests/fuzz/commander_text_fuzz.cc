// What agents and files say to desktop-commander: globs of ignore files, command lines, the output
// of processes, edits.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz_target.h"
#include "tools/desktop_commander/blocked_commands.h"
#include "tools/desktop_commander/closest_match.h"
#include "tools/desktop_commander/ignore_rules.h"
#include "tools/desktop_commander/process_state.h"

FUZZ_TARGET(commander_text)(const std::uint8_t* data, std::size_t size) {
  using namespace viv::tools::commander;
  if (size > 4096) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view first = text.substr(0, text.find('\n'));
  const std::string_view rest = text.substr(first.size());
  RuleList rules;
  rules.Add(text);
  rules.Match(rest, false);
  if (auto rule = GlobRule::Parse(first)) rule->Fits(rest, true);
  IsBlocked(text, {"sudo"});
  DetectState(text);
  WithoutPrompts(rest, first);
  if (auto match = FindClosest(rest, first); match && rest.find(match->found) == rest.npos)
    __builtin_trap();
  MarkDifference(first, rest);
  return 0;
}
