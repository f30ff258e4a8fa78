#include "engine/guest_sql/token.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/text.h"
#include "engine/guest_sql/errors.h"

namespace viv::engine::guest_sql {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool IsWordPart(char c) {
  return IsWordStart(c) || IsDigit(c) || c == '$';
}

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void AppendUtf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

class Lexer {
 public:
  explicit Lexer(std::string_view sql) : sql_(sql) {}

  Result<std::vector<Token>> Run() {
    while (true) {
      if (!SkipBlanks()) return SyntaxErrorAt(line_, Position(), "/*");
      if (tokens_.size() >= kTokensMax)
        return Fail(ErrorCode::kLimitExceeded, "SQL text has too many tokens.");
      Start();
      if (at_ >= sql_.size()) break;
      RETURN_IF_ERROR(Next());
      Finish();
    }
    Finish();
    return std::move(tokens_);
  }

 private:
  char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0';
  }
  int Position() const { return static_cast<int>(at_ - line_start_); }

  void Advance() {
    if (sql_[at_] == '\n') {
      ++line_;
      line_start_ = at_ + 1;
    }
    ++at_;
  }

  void Start() {
    token_ = Token{};
    token_.begin = at_;
    token_.line = line_;
    token_.position = Position();
  }

  void Finish() {
    token_.end = at_;
    tokens_.push_back(std::move(token_));
  }

  // False when a comment never ends.
  bool SkipBlanks() {
    while (at_ < sql_.size()) {
      char c = Peek();
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v') {
        Advance();
      } else if ((c == '-' && Peek(1) == '-') || (c == '/' && Peek(1) == '/')) {
        while (at_ < sql_.size() && Peek() != '\n') Advance();
      } else if (c == '/' && Peek(1) == '*') {
        std::size_t close = sql_.find("*/", at_ + 2);
        if (close == std::string_view::npos) return false;
        while (at_ < close + 2) Advance();
      } else {
        break;
      }
    }
    return true;
  }

  Status Next() {
    char c = Peek();
    if (IsWordStart(c)) return Word();
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) return Number();
    if (c == '\'') return Text();
    if (c == '"') return QuotedName();
    if (c == '$' && Peek(1) == '$') return DollarText();
    return Symbol();
  }

  Status Word() {
    token_.kind = TokenKind::kWord;
    while (IsWordPart(Peek())) {
      char c = Peek();
      token_.text += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      Advance();
    }
    return {};
  }

  Status Number() {
    token_.kind = TokenKind::kNumber;
    while (IsDigit(Peek())) Advance();
    if (Peek() == '.') {
      Advance();
      while (IsDigit(Peek())) Advance();
    }
    std::size_t sign = Peek(1) == '+' || Peek(1) == '-' ? 2 : 1;
    if ((Peek() == 'e' || Peek() == 'E') && IsDigit(Peek(sign))) {
      for (std::size_t i = 0; i < sign; ++i) Advance();
      while (IsDigit(Peek())) Advance();
    }
    token_.text = sql_.substr(token_.begin, at_ - token_.begin);
    if (IsWordPart(Peek())) return SyntaxErrorAt(line_, Position(), std::string(1, Peek()));
    return {};
  }

  // `\xHH` and `\uHHHH` name a character; a NUL is refused, for our text values end nowhere else.
  Status HexEscape(std::size_t digits) {
    unsigned code = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      int value = HexValue(Peek());
      if (value < 0) return SyntaxErrorAt(token_.line, token_.position, "'");
      code = code * 16 + static_cast<unsigned>(value);
      Advance();
    }
    if (code == 0 || (code >= 0xD800 && code < 0xE000))
      return SyntaxErrorAt(token_.line, token_.position, "'");
    AppendUtf8(token_.text, code);
    return {};
  }

  Status Escape() {
    static constexpr std::array<std::pair<char, char>, 5> kEscapes = {
        {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'b', '\b'}, {'f', '\f'}}};
    Advance();
    char c = Peek();
    if (at_ >= sql_.size()) return SyntaxErrorAt(token_.line, token_.position, "'");
    Advance();
    if (c == 'x') return HexEscape(2);
    if (c == 'u') return HexEscape(4);
    for (auto [name, value] : kEscapes) {
      if (c == name) {
        token_.text += value;
        return {};
      }
    }
    token_.text += c;
    return {};
  }

  Status Text() {
    token_.kind = TokenKind::kText;
    Advance();
    while (at_ < sql_.size()) {
      if (Peek() == '\'' && Peek(1) != '\'') {
        Advance();
        return {};
      }
      if (Peek() == '\\') {
        RETURN_IF_ERROR(Escape());
        continue;
      }
      if (Peek() == '\'') Advance();
      token_.text += Peek();
      Advance();
    }
    return SyntaxErrorAt(token_.line, token_.position, "'" + token_.text.substr(0, 40));
  }

  Status QuotedName() {
    token_.kind = TokenKind::kQuotedName;
    Advance();
    while (at_ < sql_.size()) {
      if (Peek() == '"' && Peek(1) != '"') {
        Advance();
        if (token_.text.empty()) return SyntaxErrorAt(token_.line, token_.position, "\"\"");
        return {};
      }
      if (Peek() == '"') Advance();
      token_.text += Peek();
      Advance();
    }
    return SyntaxErrorAt(token_.line, token_.position, "\"" + token_.text.substr(0, 40));
  }

  Status DollarText() {
    token_.kind = TokenKind::kText;
    std::size_t close = sql_.find("$$", at_ + 2);
    if (close == std::string_view::npos) return SyntaxErrorAt(token_.line, token_.position, "$$");
    token_.text = sql_.substr(at_ + 2, close - at_ - 2);
    while (at_ < close + 2) Advance();
    return {};
  }

  Status Symbol() {
    static constexpr std::array<std::string_view, 9> kLong = {
        "::", "<>", "!=", "<=", ">=", "||", "=>", "->", "=="};
    token_.kind = TokenKind::kSymbol;
    for (std::string_view symbol : kLong) {
      if (sql_.substr(at_, 2) == symbol) {
        token_.text = symbol;
        at_ += 2;
        return {};
      }
    }
    char c = Peek();
    if (std::string_view("()[]{},.;:+-*/%<>=$@?").find(c) == std::string_view::npos) {
      return SyntaxErrorAt(token_.line, token_.position,
                           std::string(1, c >= ' ' && c <= '~' ? c : '?'));
    }
    token_.text = std::string(1, c);
    Advance();
    return {};
  }

  std::string_view sql_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
  Token token_;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> Tokenize(std::string_view sql) {
  if (sql.size() > kSqlBytesMax) {
    return Fail(ErrorCode::kLimitExceeded,
                fmt::format("SQL text is longer than {} bytes.", kSqlBytesMax));
  }
  if (!IsValidUtf8(sql) || sql.find('\0') != std::string_view::npos) {
    return Fail(ErrorCode::kInvalidArgument, "SQL text is not valid UTF-8.");
  }
  return Lexer(sql).Run();
}

}  // namespace viv::engine::guest_sql
