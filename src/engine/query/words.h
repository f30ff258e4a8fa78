#pragma once
// The text of a contains operator, as Jira's ~ and other full-text fields take it: words that must
// all occur, "exact phrases", -unwanted words, AND, OR and NOT between them, and a trailing * that
// adds nothing because a part of a word matches anyway.

#include <string_view>

#include "engine/query/condition.h"

namespace viv::engine::query {

// `field` contains what `text` asks for. Never fails on syntax: what is no operator is a word.
Result<Condition> ContainsWords(const Field& field, std::string_view text, TermBudget& budget);

// A word without the marks of full-text syntax around it: the + before, the * after.
std::string_view PlainWord(std::string_view word);

}  // namespace viv::engine::query
