#include "engine/query/jql_lexer.h"

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace viv::engine::query {
namespace {

constexpr std::string_view kReservedCharacters = "{}*/%+$#@?;^`";
constexpr std::string_view kWordEnd = "()[],=!<>~&|\"'{}*/%+$#@?;^`";
constexpr std::array<std::string_view, 10> kSymbols = {"!=", "!~", "<=", ">=", "&&",
                                                       "||", "=",  "<",  ">",  "~"};
constexpr std::string_view kSingles = "()[],!";

// https://support.atlassian.com/jira-software-cloud/docs/jql-reserved-words, sorted.
constexpr std::array kReservedWords = std::to_array<std::string_view>(
    {"abort",        "access",    "add",       "after",      "alias",      "all",      "alter",
     "and",          "any",       "as",        "asc",        "audit",      "avg",      "before",
     "begin",        "between",   "boolean",   "break",      "by",         "byte",     "catch",
     "cf",           "char",      "character", "check",      "checkpoint", "collate",  "collation",
     "column",       "commit",    "connect",   "continue",   "count",      "create",   "current",
     "date",         "decimal",   "declare",   "decrement",  "default",    "defaults", "define",
     "delete",       "delimiter", "desc",      "difference", "distinct",   "divide",   "do",
     "double",       "drop",      "else",      "empty",      "encoding",   "end",      "equals",
     "escape",       "exclusive", "exec",      "execute",    "exists",     "explain",  "false",
     "fetch",        "field",     "file",      "first",      "float",      "for",      "from",
     "function",     "go",        "goto",      "grant",      "greater",    "group",    "having",
     "identified",   "if",        "immediate", "in",         "increment",  "index",    "initial",
     "inner",        "inout",     "input",     "insert",     "int",        "integer",  "intersect",
     "intersection", "into",      "is",        "isempty",    "isnull",     "join",     "last",
     "left",         "less",      "like",      "limit",      "lock",       "long",     "max",
     "min",          "minus",     "mode",      "modify",     "modulo",     "more",     "multiply",
     "next",         "noaudit",   "not",       "notin",      "nowait",     "null",     "number",
     "object",       "of",        "on",        "option",     "or",         "order",    "outer",
     "output",       "power",     "previous",  "prior",      "privileges", "public",   "raise",
     "raw",          "remove",    "rename",    "resource",   "return",     "returns",  "revoke",
     "right",        "row",       "rowid",     "rownum",     "rows",       "select",   "session",
     "set",          "share",     "size",      "sqrt",       "start",      "strict",   "string",
     "subtract",     "sum",       "synonym",   "table",      "then",       "to",       "trans",
     "transaction",  "trigger",   "true",      "uid",        "union",      "unique",   "update",
     "user",         "validate",  "values",    "view",       "when",       "whenever", "where",
     "while",        "with"});

void AppendUtf8(std::string& text, unsigned code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    text += static_cast<char>(0xE0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<JqlToken>> Run() {
    std::vector<JqlToken> tokens;
    while (true) {
      SkipBlanks();
      ASSIGN_OR_RETURN(JqlToken token, Next());
      tokens.push_back(std::move(token));
      if (tokens.back().kind == JqlToken::Kind::kEnd) return tokens;
    }
  }

 private:
  std::string_view Rest() const { return text_.substr(position_); }

  JqlToken Here(JqlToken::Kind kind) const {
    return {kind, "", line_, position_ - line_start_ + 1};
  }

  void SkipBlanks() {
    while (position_ < text_.size() &&
           absl::ascii_isspace(static_cast<unsigned char>(text_[position_]))) {
      if (text_[position_++] != '\n') continue;
      ++line_;
      line_start_ = position_;
    }
  }

  Result<JqlToken> Next() {
    if (position_ >= text_.size()) return Here(JqlToken::Kind::kEnd);
    char c = text_[position_];
    if (c == '"' || c == '\'') return Quoted(c);
    JqlToken token = Here(JqlToken::Kind::kSymbol);
    for (std::string_view symbol : kSymbols) {
      if (!Rest().starts_with(symbol)) continue;
      position_ += symbol.size();
      token.text = symbol;
      return token;
    }
    if (kSingles.find(c) != kSingles.npos) {
      ++position_;
      token.text = std::string(1, c);
      return token;
    }
    if (c == '&' || c == '|') {  // one alone joins nothing; the parser says what was expected
      ++position_;
      token.text = std::string(1, c);
      return token;
    }
    return Word();
  }

  // +7d is a relative date although + is reserved otherwise.
  bool IsSignedNumber() const {
    return Rest().size() > 1 && Rest()[0] == '+' &&
           absl::ascii_isdigit(static_cast<unsigned char>(Rest()[1]));
  }

  Result<JqlToken> Word() {
    JqlToken token = Here(JqlToken::Kind::kWord);
    if (IsSignedNumber()) token.text += text_[position_++];
    while (position_ < text_.size()) {
      char c = text_[position_];
      if (c == '\\') {
        RETURN_IF_ERROR(Escape(token.text));
        continue;
      }
      bool blank = absl::ascii_isspace(static_cast<unsigned char>(c));
      if (blank || kWordEnd.find(c) != kWordEnd.npos) break;
      if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) break;
      token.text += c;
      ++position_;
    }
    if (position_ < text_.size()) RETURN_IF_ERROR(RefuseReserved(text_[position_]));
    return token;
  }

  Status RefuseReserved(char c) const {
    bool control = absl::ascii_iscntrl(static_cast<unsigned char>(c)) &&
                   !absl::ascii_isspace(static_cast<unsigned char>(c));
    if (!control && kReservedCharacters.find(c) == kReservedCharacters.npos) return {};
    std::string shown =
        control ? fmt::format("U+{:04X}", static_cast<unsigned char>(c)) : std::string(1, c);
    return FailJql(
        fmt::format("The character '{}' is a reserved JQL character. You must enclose it "
                    "in a string or use the escape '\\u{:04x}' instead.",
                    shown, static_cast<unsigned char>(c)),
        Here(JqlToken::Kind::kWord));
  }

  Result<JqlToken> Quoted(char quote) {
    JqlToken token = Here(JqlToken::Kind::kString);
    ++position_;
    while (position_ < text_.size()) {
      char c = text_[position_];
      if (c == quote) {
        ++position_;
        return token;
      }
      if (c == '\\') {
        RETURN_IF_ERROR(Escape(token.text));
        continue;
      }
      token.text += c;
      ++position_;
      if (c == '\n') {
        ++line_;
        line_start_ = position_;
      }
    }
    return FailJql(fmt::format("The quoted string '{}' has not been completed.", token.text),
                   token);
  }

  // Resolves the escape at the position and appends what it stands for.
  Status Escape(std::string& into) {
    std::string_view rest = Rest();
    char kind = rest.size() > 1 ? rest[1] : '\0';
    if (kind == 'u' && rest.size() >= 6) {
      unsigned code = 0;
      auto [end, error] = std::from_chars(rest.data() + 2, rest.data() + 6, code, 16);
      bool surrogate = code >= 0xD800 && code <= 0xDFFF;  // alone it is no character
      if (error == std::errc() && end == rest.data() + 6 && !surrogate) {
        AppendUtf8(into, code);
        position_ += 6;
        return {};
      }
    }
    constexpr std::string_view kFrom = "tnr'\"\\ ";
    constexpr std::string_view kTo = "\t\n\r'\"\\ ";
    std::size_t index = kFrom.find(kind);
    bool ascii = absl::ascii_isascii(static_cast<unsigned char>(kind));  // else cut in a character
    if (kind == '\0' || index == kFrom.npos) {
      return FailJql(
          fmt::format("'{}' is an illegal JQL escape sequence. The valid escape sequences "
                      "are \\', \\\", \\t, \\n, \\r, \\\\, '\\ ' and \\uXXXX.",
                      rest.substr(0, ascii ? 2 : 1)),
          Here(JqlToken::Kind::kWord));
    }
    into += kTo[index];
    position_ += 2;
    return {};
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
  std::size_t line_start_ = 0;
};

}  // namespace

bool JqlToken::IsKeyword(std::string_view keyword) const {
  return kind == Kind::kWord && EqualsIgnoreCase(text, keyword);
}

Result<std::vector<JqlToken>> LexJql(std::string_view text) {
  return Lexer(text).Run();
}

tl::unexpected<Error> FailJql(std::string_view message, const JqlToken& at) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("Error in the JQL Query: {} (line {}, character {})", message, at.line,
                          at.column));
}

tl::unexpected<Error> FailJqlAtEnd(std::string_view message) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("Error in the JQL Query: {}", message));
}

bool IsReservedJqlWord(std::string_view word) {
  return std::binary_search(kReservedWords.begin(), kReservedWords.end(), ToLower(word));
}

}  // namespace viv::engine::query
