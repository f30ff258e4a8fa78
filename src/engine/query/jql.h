#pragma once
// The Jira Query Language: clauses joined by AND, OR and NOT, and ORDER BY. Errors are in Jira's
// words. NOT is carried down to the operators, as Jira does: NOT assignee = ann leaves out
// unassigned issues, just like assignee != ann. Fields keep no history here: WAS asks for the
// present value, CHANGED is refused.

#include <string_view>

#include "engine/query/condition.h"
#include "engine/query/dates.h"

namespace viv::engine::query {

// The result borrows from `target`.
Result<Parsed> ParseJql(std::string_view text,
                        const Target& target,
                        const Context& context,
                        const Calendar& calendar);

}  // namespace viv::engine::query
