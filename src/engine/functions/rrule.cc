// Recurrence as SQL functions.

#include <algorithm>

#include "base/json.h"
#include "engine/functions/families.h"
#include "engine/functions/rrule_expand.h"
#include "engine/functions/rrule_parse.h"
#include "engine/functions/time_text.h"
#include "engine/functions/zone.h"

namespace viv::engine::functions {
namespace {

constexpr std::size_t kRulesMax = 8;  // every rule may cost its whole bound of work

Result<RruleSet> ParseLines(std::string_view text) {
  ASSIGN_OR_RETURN(json::value parsed, ParseJson(text));
  const json::array* lines = parsed.if_array();
  if (lines == nullptr) return Invalid("argument 1 must be a JSON array of lines");
  RruleSet set;
  for (const json::value& item : *lines) {
    const json::string* line = item.if_string();
    if (line == nullptr) return Invalid("argument 1 must be a JSON array of lines");
    RETURN_IF_ERROR(AddRruleLine(View(*line), set));
    if (set.rules.size() > kRulesMax) return Invalid("too many rules");
  }
  return set;
}

Result<Value> RruleExpand(const Arguments& arguments) {
  Recurrence recurrence;
  ASSIGN_OR_RETURN(recurrence.set, ParseLines(arguments.Text(0)));
  ASSIGN_OR_RETURN(recurrence.start_ms, arguments.Integer(1));
  RETURN_IF_ERROR(CheckTime(recurrence.start_ms));
  ASSIGN_OR_RETURN(recurrence.zone, FindZone(arguments.Text(2)));
  Window window;
  ASSIGN_OR_RETURN(window.from_ms, arguments.Integer(3));
  ASSIGN_OR_RETURN(window.to_ms, arguments.Integer(4));
  ASSIGN_OR_RETURN(std::int64_t limit, arguments.Integer(5));
  // Any window is fine, but only the part of it that can hold occurrences is computed with.
  window.from_ms = std::max(window.from_ms, kTimeMsMin);
  window.to_ms = std::min(window.to_ms, kTimeMsMax + 1);
  window.limit = std::min(limit, kOccurrencesMax);
  json::array starts;
  for (std::int64_t start_ms : Expand(recurrence, window)) starts.emplace_back(start_ms);
  return Json{json::serialize(starts)};
}

Result<Value> RruleCheck(const Arguments& arguments) {
  RruleSet set;
  Status added = AddRruleLine(arguments.Text(0), set);
  if (added) return Null{};
  return added.error().message;
}

}  // namespace

std::span<const Function> RruleFunctions() {
  static constexpr Function kFunctions[] = {{"rrule_expand", 6, 6, RruleExpand},
                                            {"rrule_check", 1, 1, RruleCheck}};
  return kFunctions;
}

}  // namespace viv::engine::functions
