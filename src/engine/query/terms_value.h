#pragma once
// What key:value means for a field: its named values first, then as its `compare` says.

#include <string_view>

#include "engine/query/condition.h"
#include "engine/query/dates.h"

namespace viv::engine::query {

struct TermValue {
  std::string_view key;
  std::string_view text;
  bool quoted = false;  // taken as it is: no range, no list
};

// A value that a field with nothing but named values does not have finds nothing, or is an error
// when the target is strict.
Result<Condition> ReadTermValue(const Field& field,
                                const TermValue& value,
                                const Target& target,
                                const Calendar& calendar,
                                TermBudget& budget);

}  // namespace viv::engine::query
