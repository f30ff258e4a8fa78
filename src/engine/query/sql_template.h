#pragma once
// An app's SQL with the parameters of query.h in it. Filling replaces those this module binds by
// numbered ones of the statement under construction; names that it does not know stay for the
// caller.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace viv::engine::query {

// The replacement for a parameter's name (without its colon), or nothing to leave it. Asked once
// per name, so that two uses share one parameter.
using Resolve = std::function<std::optional<std::string>(std::string_view name)>;

// Literals and quoted names in `sql` are left alone.
std::string FillTemplate(std::string_view sql, const Resolve& resolve);

// `expression` in parentheses unless it is a plain column.
std::string Wrap(std::string_view expression);

// Text as a LIKE pattern that matches it alone, for ESCAPE '\'.
std::string EscapeLike(std::string_view text);

// Text as one FTS5 string.
std::string QuotePhrase(std::string_view text);

}  // namespace viv::engine::query
