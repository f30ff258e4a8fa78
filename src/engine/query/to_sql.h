#pragma once
// Writes a condition tree as SQL. The statement stays within SQLite's limits whatever the query
// was: long lists are joined in groups (an expression may be 1000 levels deep), alternating nesting
// is limited (its parser has a fixed stack), and the text has an upper size.

#include <cstddef>

#include "engine/query/condition.h"
#include "engine/query/dates.h"

namespace viv::engine::query {

constexpr std::size_t kSqlBytesMax = 500'000;
constexpr std::size_t kSqlNestingMax = 12;  // all within any within not within …

Result<Compiled> ToSql(const Parsed& parsed,
                       const Target& target,
                       const Context& context,
                       const Calendar& calendar);

}  // namespace viv::engine::query
