#pragma once
// The words of a guest statement. A token knows its place, because the product's error texts name
// line and position, and its slice of the source, because an unnamed result column is called after
// the text it came from.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::engine::guest_sql {

enum class TokenKind {
  kWord,        // text is folded to upper case, as an unquoted identifier is
  kQuotedName,  // "like this"; text is the name itself
  kText,        // 'text' or $$text$$; text is the value
  kNumber,
  kSymbol,
  kEnd
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
  std::size_t begin = 0;  // byte offsets into the source
  std::size_t end = 0;
  int line = 1;      // from 1
  int position = 0;  // in bytes within the line, from 0

  bool Is(TokenKind wanted, std::string_view value) const {
    return kind == wanted && text == value;
  }
  bool IsWord(std::string_view word) const { return Is(TokenKind::kWord, word); }
  bool IsSymbol(std::string_view symbol) const { return Is(TokenKind::kSymbol, symbol); }
};

constexpr std::size_t kSqlBytesMax = std::size_t{1} << 20;
constexpr std::size_t kTokensMax = 200'000;

// The last token is always kEnd. Fails on what no statement may contain: broken UTF-8, an open
// quote, a stray byte.
Result<std::vector<Token>> Tokenize(std::string_view sql);

}  // namespace viv::engine::guest_sql
