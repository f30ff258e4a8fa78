#include "tools/formula/lexer.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/text.h"

namespace viv::formula {
namespace {

bool IsSpaceCharacter(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> Run() {
    while (at_ < text_.size()) RETURN_IF_ERROR(Next());
    Token end;
    end.begin = end.end = end.body = text_.size();
    tokens_.push_back(std::move(end));
    return std::move(tokens_);
  }

 private:
  char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Token& Add(TokenKind kind, std::size_t length) {
    Token token;
    token.kind = kind;
    token.begin = token.body = at_;
    at_ += length;
    token.end = at_;
    token.text = std::string(text_.substr(token.begin, length));
    tokens_.push_back(std::move(token));
    return tokens_.back();
  }

  tl::unexpected<Error> Wrong(std::string_view what) const {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{} at character {}", what, at_ + 1));
  }

  Status Next();
  Status Number();
  Status Quoted();
  Status ErrorLiteral();
  Status Word(std::size_t sheet_begin, std::optional<std::string> sheet);
  Status Brackets(std::size_t begin, std::string name);
  Status Operator();
  std::optional<std::string> SheetBefore(std::size_t& length) const;

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

Status Lexer::Next() {
  char c = Peek();
  if (IsSpaceCharacter(c)) {
    std::size_t length = 1;
    while (IsSpaceCharacter(Peek(length))) ++length;
    Add(TokenKind::kSpace, length);
    return {};
  }
  if (c == '"') return Quoted();
  if (c == '#') {
    // After a reference "#" means all that it spills.
    bool spill = !tokens_.empty() && (tokens_.back().kind == TokenKind::kReference ||
                                      tokens_.back().kind == TokenKind::kClose);
    if (!spill) return ErrorLiteral();
    Add(TokenKind::kOperator, 1);
    return {};
  }
  std::size_t sheet_length = 0;
  if (std::optional<std::string> sheet = SheetBefore(sheet_length)) {
    std::size_t begin = at_;
    at_ += sheet_length;
    return Word(begin, std::move(sheet));
  }
  if (c == '\'') return Wrong("A sheet's name in quotes must be followed by '!'");
  bool digit = (c >= '0' && c <= '9') || (c == '.' && Peek(1) >= '0' && Peek(1) <= '9');
  if (digit || c == '$' || IsNameCharacter(c)) {
    if (ReadReferenceAt(text_.substr(at_))) return Word(at_, std::nullopt);
    if (digit) return Number();
    if (c == '$') return Wrong("'$' without a reference after it");
    return Word(at_, std::nullopt);
  }
  if (c == '[') return Brackets(at_, "");
  return Operator();
}

Status Lexer::Number() {
  double number = 0;
  const char* begin = text_.data() + at_;
  auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), number);
  if (problem == std::errc::result_out_of_range) return Wrong("The number is too large");
  if (problem != std::errc()) return Wrong("Not a number");
  std::size_t length = static_cast<std::size_t>(end - begin);
  if (at_ + length < text_.size() && IsNameCharacter(text_[at_ + length]))
    return Wrong("A name cannot begin with a digit:");
  Add(TokenKind::kNumber, length).number = number;
  return {};
}

Status Lexer::Quoted() {
  std::string value;
  std::size_t i = at_ + 1;
  for (;; ++i) {
    if (i >= text_.size()) return Wrong("The text has no closing quote:");
    if (text_[i] == '"') {
      if (i + 1 >= text_.size() || text_[i + 1] != '"') break;
      ++i;
    }
    value += text_[i];
  }
  Add(TokenKind::kText, i + 1 - at_).text = std::move(value);
  return {};
}

Status Lexer::ErrorLiteral() {
  for (std::size_t length = 4; length <= 8 && at_ + length <= text_.size(); ++length) {
    if (!FindErrorKind(text_.substr(at_, length))) continue;
    Add(TokenKind::kError, length);
    return {};
  }
  return Wrong("Unknown error value");
}

// The sheet of "Sheet1!A1" or "'My sheet'!A1"; nothing when no "!" follows.
std::optional<std::string> Lexer::SheetBefore(std::size_t& length) const {
  std::string sheet;
  std::size_t i = at_;
  if (Peek() == '\'') {
    for (++i;; ++i) {
      if (i >= text_.size()) return std::nullopt;
      if (text_[i] == '\'') {
        if (i + 1 >= text_.size() || text_[i + 1] != '\'') break;
        ++i;
      }
      sheet += text_[i];
    }
    ++i;
  } else {
    if (Peek() == '[') {  // "[1]Sheet!A1" is a cell of another workbook
      std::size_t close = text_.find(']', i);
      if (close == std::string_view::npos) return std::nullopt;
      i = close + 1;
    }
    while (i < text_.size() && IsNameCharacter(text_[i])) ++i;
    sheet = std::string(text_.substr(at_, i - at_));
  }
  if (sheet.empty() || i >= text_.size() || text_[i] != '!') return std::nullopt;
  length = i + 1 - at_;
  return sheet;
}

Status Lexer::Word(std::size_t sheet_begin, std::optional<std::string> sheet) {
  std::string_view rest = text_.substr(at_);
  std::size_t body = at_;
  TokenKind kind = TokenKind::kName;
  std::size_t length = 0;
  AreaRef area;
  if (auto read = ReadReferenceAt(rest);
      read &&
      (read->length >= rest.size() || (rest[read->length] != '(' && rest[read->length] != '['))) {
    kind = TokenKind::kReference;
    length = read->length;
    area = read->area;
  } else if (sheet && rest.substr(0, 5) == "#REF!") {
    kind = TokenKind::kError;
    length = 5;
  } else {
    while (length < rest.size() && IsNameCharacter(rest[length])) ++length;
    if (length == 0) return Wrong("Expected a reference or a name after the sheet");
    if (length < rest.size() && rest[length] == '(') kind = TokenKind::kFunction;
    if (length < rest.size() && rest[length] == '[' && !sheet) {
      std::string name(rest.substr(0, length));
      at_ += length;
      return Brackets(sheet_begin, std::move(name));
    }
  }
  Token& token = Add(kind, length);
  token.begin = sheet_begin;
  token.body = body;
  token.area = area;
  token.has_sheet = sheet.has_value();
  token.sheet = sheet.value_or("");
  return {};
}

// Structured references nest brackets once: Sales[[#Totals],[Amount]]. "'" quotes what follows it.
Status Lexer::Brackets(std::size_t begin, std::string name) {
  int depth = 0;
  std::size_t i = at_;
  for (; i < text_.size(); ++i) {
    if (text_[i] == '\'' && i + 1 < text_.size()) {
      ++i;
    } else if (text_[i] == '[') {
      ++depth;
    } else if (text_[i] == ']' && --depth == 0) {
      break;
    }
  }
  if (i >= text_.size()) return Wrong("The bracket is not closed:");
  std::string inside(text_.substr(at_ + 1, i - at_ - 1));
  Token& token = Add(TokenKind::kTable, i + 1 - at_);
  token.begin = begin;
  token.sheet = std::move(name);
  token.text = std::move(inside);
  return {};
}

Status Lexer::Operator() {
  char c = Peek();
  if ((c == '<' && (Peek(1) == '=' || Peek(1) == '>')) || (c == '>' && Peek(1) == '=')) {
    Add(TokenKind::kOperator, 2);
    return {};
  }
  switch (c) {
    case '(':
      Add(TokenKind::kOpen, 1);
      return {};
    case ')':
      Add(TokenKind::kClose, 1);
      return {};
    case ',':
      Add(TokenKind::kComma, 1);
      return {};
    case ';':
      Add(TokenKind::kSemicolon, 1);
      return {};
    case '{':
      Add(TokenKind::kArrayOpen, 1);
      return {};
    case '}':
      Add(TokenKind::kArrayClose, 1);
      return {};
    default:
      break;
  }
  if (std::string_view("+-*/^&%=<>:@").find(c) == std::string_view::npos || c == '\0')
    return Wrong(fmt::format("Unexpected '{}'", Printable(std::string_view(&c, 1))));
  Add(TokenKind::kOperator, 1);
  return {};
}

}  // namespace

Result<std::vector<Token>> Tokenize(std::string_view formula) {
  if (formula.size() > kFormulaBytesMax)
    return Fail(ErrorCode::kLimitExceeded,
                fmt::format("The formula is longer than {} bytes", kFormulaBytesMax));
  return Lexer(formula).Run();
}

}  // namespace viv::formula
