#pragma once
// How values turn into each other: text that reads as a number or a date, numbers as truth values,
// and the order in which values compare.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "tools/formula/value.h"

namespace viv::formula {

// "12", " 1,234.5 ", "5%", "$3", "1e3", and dates and times as ParseDateText reads them.
std::optional<double> ParseNumberText(std::string_view text);

tl::expected<double, ErrorKind> ToNumber(const Value& value);
tl::expected<bool, ErrorKind> ToFlag(const Value& value);

// -1, 0 or 1: numbers come before text, text before truth values; text is compared without regard
// to case; a blank equals 0, "" and FALSE. Errors are the caller's business.
int Compare(const Value& a, const Value& b);

// `pattern` with the wildcards *, ? and ~ (which quotes them), without regard to case, on the whole
// text.
bool MatchesWildcard(std::string_view pattern, std::string_view text);
bool HasWildcard(std::string_view pattern);

// Case of letters, also of those beyond ASCII that have a simple pair.
std::string UpperText(std::string_view text);
std::string LowerText(std::string_view text);

// UTF-8 as characters; broken bytes count as one character each.
std::vector<char32_t> ToCharacters(std::string_view text);
std::string FromCharacters(const std::vector<char32_t>& characters);
void AppendCharacter(std::string& out, char32_t character);

// The number cut towards zero and kept within what an int holds.
int ToInt(double number);

}  // namespace viv::formula
