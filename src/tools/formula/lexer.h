#pragma once
// A formula's text as tokens that remember where they stand, so that the parser can say where a
// mistake is and references can be rewritten in place.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/formula/reference.h"
#include "tools/formula/value.h"

namespace viv::formula {

constexpr std::size_t kFormulaBytesMax = 32'768;

enum class TokenKind {
  kNumber,
  kText,
  kError,
  kReference,  // with the sheet before it, if any
  kName,       // a defined name, TRUE or FALSE; with the sheet before it, if any
  kTable,      // Name[…], or […] alone: this row's table
  kFunction,   // the name alone; "(" follows as its own token
  kOperator,   // + - * / ^ & % = < > <= >= <> : @ #
  kOpen,
  kClose,
  kComma,
  kSemicolon,
  kArrayOpen,
  kArrayClose,
  kSpace,  // may be an intersection
  kEnd
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::size_t begin = 0, end = 0;  // in the formula's text
  std::size_t body = 0;            // where the part after "sheet!" begins
  std::string text;                // name, operator, text without quotes, inside of […]
  std::string sheet;               // without quotes
  bool has_sheet = false;
  double number = 0;
  AreaRef area;
};

// The tokens, the last of which is kEnd.
Result<std::vector<Token>> Tokenize(std::string_view formula);

}  // namespace viv::formula
