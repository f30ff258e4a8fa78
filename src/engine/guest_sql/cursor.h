#pragma once
// A place in the tokens of one statement, with the few questions a recursive-descent reader asks.

#include <string>
#include <string_view>
#include <vector>

#include "engine/guest_sql/names.h"
#include "engine/guest_sql/token.h"

namespace viv::engine::guest_sql {

class Cursor {
 public:
  // Both must outlive the cursor; `tokens` ends with kEnd.
  Cursor(std::string_view sql, const std::vector<Token>& tokens) : sql_(sql), tokens_(tokens) {}

  std::size_t place() const { return place_; }
  void MoveTo(std::size_t place) { place_ = place; }

  const Token& Peek(std::size_t ahead = 0) const;
  const Token& Next();  // the token at the cursor, which moves past it
  bool AtEnd() const { return Peek().kind == TokenKind::kEnd; }

  bool IsWord(std::string_view word, std::size_t ahead = 0) const {
    return Peek(ahead).IsWord(word);
  }
  bool IsSymbol(std::string_view symbol, std::size_t ahead = 0) const {
    return Peek(ahead).IsSymbol(symbol);
  }
  bool AcceptWord(std::string_view word);
  bool AcceptWords(std::string_view first, std::string_view second);
  bool AcceptSymbol(std::string_view symbol);
  Status ExpectWord(std::string_view word);
  Status ExpectSymbol(std::string_view symbol);
  Status ExpectEnd();

  // A column's, table's or alias's own name; a reserved word is none.
  bool IsName(std::size_t ahead = 0) const;
  Result<std::string> Name();
  Result<std::vector<std::string>> DottedName(std::size_t parts_max);
  Result<ObjectName> ObjectPath();  // one, two or three parts, the table's name last
  Result<std::string> Text();       // 'a text'

  // The source between two places, as written.
  std::string_view Slice(std::size_t from, std::size_t to) const;

  tl::unexpected<Error> Unexpected() const;

 private:
  std::string_view sql_;
  const std::vector<Token>& tokens_;
  std::size_t place_ = 0;
};

bool IsReserved(std::string_view word);

}  // namespace viv::engine::guest_sql
