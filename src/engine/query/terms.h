#pragma once
// Search terms as Gmail, GitHub, Slack and most search boxes have them: words, "exact phrases",
// key:value, -unwanted, OR, {either or}, (groups) and key:(groups). Which keys there are and how
// each compares is declared by the app. Like the boxes it follows, the syntax never fails: a
// bracket without its partner is closed at the end or skipped. Only a value that is no date or
// number where one is needed is an error.

#include <string_view>

#include "engine/query/condition.h"
#include "engine/query/dates.h"

namespace viv::engine::query {

// The result borrows from `target`.
Result<Parsed> ParseTerms(std::string_view text, const Target& target, const Calendar& calendar);

}  // namespace viv::engine::query
