#pragma once
// The tokens of the Jira Query Language, with the line and column of each, because Jira's error
// texts name them.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::engine::query {

struct JqlToken {
  enum class Kind { kWord, kString, kSymbol, kEnd };

  Kind kind = Kind::kEnd;
  std::string text;  // escapes resolved; symbols are ( ) [ ] , = != < <= > >= ~ !~ ! && ||
  std::size_t line = 1;
  std::size_t column = 1;

  bool IsSymbol(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
  bool IsKeyword(std::string_view keyword) const;  // an unquoted word, ignoring case
};

// Ends with a kEnd token.
Result<std::vector<JqlToken>> LexJql(std::string_view text);

// An error in Jira's form: "Error in the JQL Query: … (line 1, character 12)".
tl::unexpected<Error> FailJql(std::string_view message, const JqlToken& at);
tl::unexpected<Error> FailJqlAtEnd(std::string_view message);

// Words that Jira keeps for itself; as a name or value they must be quoted.
bool IsReservedJqlWord(std::string_view word);

}  // namespace viv::engine::query
