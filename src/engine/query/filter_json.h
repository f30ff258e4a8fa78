#pragma once
// Filters as JSON objects, in the way of Notion: {"and": […]}, {"or": […]}, and conditions on a
// property by its type or on a timestamp. Properties are the app's data, not its schema: the SQL
// for each type is declared once, with the property's name as the parameter :property. A property
// that is a column of its own can be declared as a field of that name and is then preferred.

#include <vector>

#include "engine/query/condition.h"
#include "engine/query/dates.h"

namespace viv::engine::query {

// null and {} ask for everything. The result borrows from `target`.
Result<Condition> ParseFilter(const json::value& filter,
                              const Target& target,
                              const Calendar& calendar);

// See Compile. A property is ordered by the declared type `sort`, or else by `text`.
Result<std::vector<Sort>> ParseSorts(const json::value& sorts, const Target& target);

}  // namespace viv::engine::query
