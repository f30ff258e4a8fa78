#include "engine/query/sql_template.h"

#include <absl/strings/ascii.h>

#include <map>

namespace viv::engine::query {
namespace {

bool IsNameChar(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// The end of the literal or quoted name that starts at `begin`. A doubled quote reads as two
// adjacent ones, which comes to the same.
std::size_t EndOfQuoted(std::string_view sql, std::size_t begin) {
  char close = sql[begin] == '[' ? ']' : sql[begin];
  std::size_t end = sql.find(close, begin + 1);
  return end == sql.npos ? sql.size() : end + 1;
}

std::size_t EndOfName(std::string_view sql, std::size_t begin) {
  while (begin < sql.size() && IsNameChar(sql[begin])) ++begin;
  return begin;
}

}  // namespace

std::string FillTemplate(std::string_view sql, const Resolve& resolve) {
  std::string filled;
  std::map<std::string_view, std::string> known;
  for (std::size_t i = 0; i < sql.size();) {
    char c = sql[i];
    std::size_t end = i + 1;
    if (c == '\'' || c == '"' || c == '`' || c == '[') {
      end = EndOfQuoted(sql, i);
    } else if (c == ':' && end < sql.size() && IsNameChar(sql[end])) {
      end = EndOfName(sql, end);
      std::string_view name = sql.substr(i + 1, end - i - 1);
      auto found = known.find(name);
      if (found == known.end()) {
        auto replacement = resolve(name).value_or(std::string(sql.substr(i, end - i)));
        found = known.emplace(name, std::move(replacement)).first;
      }
      filled += found->second;
      i = end;
      continue;
    }
    filled += sql.substr(i, end - i);
    i = end;
  }
  return filled;
}

std::string Wrap(std::string_view expression) {
  for (char c : expression) {
    if (!IsNameChar(c) && c != '.') return "(" + std::string(expression) + ")";
  }
  return std::string(expression);
}

std::string EscapeLike(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '%' || c == '_' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string QuotePhrase(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace viv::engine::query
