#include "engine/guest_sql/cursor.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/guest_sql/errors.h"

namespace viv::engine::guest_sql {
namespace {

// The product's reserved words and those that begin a clause; sorted for the search.
constexpr std::array<std::string_view, 71> kReserved = {
    "ALL",     "ALTER",   "AND",    "ANY",         "AS",     "BETWEEN",  "BY",     "CASE",
    "CHECK",   "CONNECT", "CREATE", "CROSS",       "DELETE", "DISTINCT", "DROP",   "ELSE",
    "END",     "EXCEPT",  "EXISTS", "FALSE",       "FETCH",  "FOR",      "FROM",   "FULL",
    "GRANT",   "GROUP",   "HAVING", "ILIKE",       "IN",     "INNER",    "INSERT", "INTERSECT",
    "INTO",    "IS",      "JOIN",   "LATERAL",     "LEFT",   "LIKE",     "LIMIT",  "MINUS",
    "NATURAL", "NOT",     "NULL",   "OFFSET",      "ON",     "OR",       "ORDER",  "OUTER",
    "PIVOT",   "QUALIFY", "REGEXP", "REVOKE",      "RIGHT",  "RLIKE",    "SAMPLE", "SELECT",
    "SET",     "SOME",    "TABLE",  "TABLESAMPLE", "THEN",   "TO",       "TRUE",   "UNION",
    "UNIQUE",  "UNPIVOT", "UPDATE", "USING",       "VALUES", "WHEN",     "WHERE"};

}  // namespace

bool IsReserved(std::string_view word) {
  return word == "WITH" || std::binary_search(kReserved.begin(), kReserved.end(), word);
}

const Token& Cursor::Peek(std::size_t ahead) const {
  return tokens_[std::min(place_ + ahead, tokens_.size() - 1)];
}

const Token& Cursor::Next() {
  const Token& token = Peek();
  if (place_ + 1 < tokens_.size()) ++place_;
  return token;
}

bool Cursor::AcceptWord(std::string_view word) {
  if (!IsWord(word)) return false;
  Next();
  return true;
}

bool Cursor::AcceptWords(std::string_view first, std::string_view second) {
  if (!IsWord(first) || !IsWord(second, 1)) return false;
  Next();
  Next();
  return true;
}

bool Cursor::AcceptSymbol(std::string_view symbol) {
  if (!IsSymbol(symbol)) return false;
  Next();
  return true;
}

Status Cursor::ExpectWord(std::string_view word) {
  if (!AcceptWord(word)) return Unexpected();
  return {};
}

Status Cursor::ExpectSymbol(std::string_view symbol) {
  if (!AcceptSymbol(symbol)) return Unexpected();
  return {};
}

Status Cursor::ExpectEnd() {
  if (!AtEnd()) return Unexpected();
  return {};
}

bool Cursor::IsName(std::size_t ahead) const {
  const Token& token = Peek(ahead);
  return token.kind == TokenKind::kQuotedName ||
         (token.kind == TokenKind::kWord && !IsReserved(token.text));
}

Result<std::string> Cursor::Name() {
  if (!IsName()) return Unexpected();
  return Next().text;
}

Result<std::vector<std::string>> Cursor::DottedName(std::size_t parts_max) {
  std::vector<std::string> parts;
  while (true) {
    ASSIGN_OR_RETURN(std::string part, Name());
    parts.push_back(std::move(part));
    if (!IsSymbol(".") || parts.size() == parts_max) return parts;
    Next();
  }
}

Result<ObjectName> Cursor::ObjectPath() {
  ASSIGN_OR_RETURN(auto parts, DottedName(3));
  if (IsSymbol(".")) return Unexpected();
  ObjectName name;
  name.name = std::move(parts.back());
  if (parts.size() > 1) name.schema = std::move(parts[parts.size() - 2]);
  if (parts.size() > 2) name.database = std::move(parts[0]);
  return name;
}

Result<std::string> Cursor::Text() {
  if (Peek().kind != TokenKind::kText) return Unexpected();
  return Next().text;
}

std::string_view Cursor::Slice(std::size_t from, std::size_t to) const {
  if (from >= to) return {};
  std::size_t begin = tokens_[from].begin;
  return sql_.substr(begin, tokens_[to - 1].end - begin);
}

tl::unexpected<Error> Cursor::Unexpected() const {
  const Token& token = Peek();
  std::string text = token.kind == TokenKind::kEnd
                         ? std::string("<EOF>")
                         : std::string(sql_.substr(token.begin, token.end - token.begin));
  return SyntaxErrorAt(token.line, token.position, text);
}

}  // namespace viv::engine::guest_sql
