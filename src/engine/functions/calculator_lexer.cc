#include "engine/functions/calculator_lexer.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <utility>

#include "base/text.h"
#include "engine/functions/function.h"

namespace viv::engine::functions {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsNameLetter(char c) {
  return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

struct Spelling {
  std::string_view written;
  std::string_view meant;
};
// Longer ones first.
constexpr Spelling kSigns[] = {{"**", "**"}, {"//", "//"}, {"<=", "<="}, {">=", ">="}, {"==", "=="},
                               {"!=", "!="}, {"×", "*"},   {"÷", "/"},   {"−", "-"},   {"^", "**"},
                               {"+", "+"},   {"-", "-"},   {"*", "*"},   {"/", "/"},   {"%", "%"},
                               {"<", "<"},   {">", ">"},   {"(", "("},   {")", ")"},   {"[", "["},
                               {"]", "]"},   {",", ","},   {".", "."}};

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> Run() {
    std::vector<Token> tokens;
    while (SkipSpace()) {
      ASSIGN_OR_RETURN(Token token, Next());
      tokens.push_back(std::move(token));
    }
    tokens.emplace_back();
    return tokens;
  }

 private:
  bool SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || (text_[at_] >= '\t' && text_[at_] <= '\r')))
      ++at_;
    return at_ < text_.size();
  }

  char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Result<Token> Next() {
    if (IsDigit(Peek()) || (Peek() == '.' && IsDigit(Peek(1)))) return NumberToken();
    if (IsNameLetter(Peek())) {
      std::size_t begin = at_;
      while (IsNameLetter(Peek())) ++at_;
      return Token{Token::Kind::kName, std::string(text_.substr(begin, at_ - begin)), {}};
    }
    for (const Spelling& sign : kSigns) {
      if (!text_.substr(at_).starts_with(sign.written)) continue;
      at_ += sign.written.size();
      return Token{Token::Kind::kSign, std::string(sign.meant), {}};
    }
    return Invalid("invalid syntax");
  }

  // Digits with single underscores between them.
  std::string Digits() {
    std::string digits;
    while (IsDigit(Peek()) || (Peek() == '_' && !digits.empty() && IsDigit(Peek(1)))) {
      if (Peek() != '_') digits += Peek();
      ++at_;
    }
    return digits;
  }

  Result<Token> NumberToken() {
    if (Peek() == '0' && std::isalpha(static_cast<unsigned char>(Peek(1))) != 0 &&
        ToLower(text_.substr(at_ + 1, 1)) != "e") {
      return BasedNumber();
    }
    std::string digits = Digits();
    bool real = false;
    if (Peek() == '.') {
      real = true;
      ++at_;
      digits.append(".").append(Digits());
    }
    if ((Peek() == 'e' || Peek() == 'E') &&
        (IsDigit(Peek(1)) || ((Peek(1) == '+' || Peek(1) == '-') && IsDigit(Peek(2))))) {
      real = true;
      digits += 'e';
      if (text_[++at_] == '-') digits += '-';
      if (!IsDigit(Peek())) ++at_;
      digits += Digits();
    }
    if (IsNameLetter(Peek()) || Peek() == '.') return Invalid("invalid syntax");
    return real ? RealToken(digits) : WholeToken(digits);
  }

  static Result<Token> RealToken(const std::string& digits) {
    double number = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc::result_out_of_range) {
      // Too small is zero, too large is inf, as in Python; a negative exponent tells which.
      number = digits.find("e-") != std::string::npos ? 0 : std::numeric_limits<double>::infinity();
    } else if (error != std::errc() || end != digits.data() + digits.size()) {
      return Invalid("invalid syntax");
    }
    return Token{Token::Kind::kNumber, "", number};
  }

  static Result<Token> WholeToken(const std::string& digits) {
    std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
    if (zeros > 0 && zeros < digits.size()) return Invalid("invalid syntax");  // 012 is no number
    if (zeros == digits.size()) return Token{Token::Kind::kNumber, "", Integer(0)};
    ASSIGN_OR_RETURN(Integer integer, Checked(Integer(digits)));
    return Token{Token::Kind::kNumber, "", std::move(integer)};
  }

  // 0x1f, 0o17, 0b101; of 64 bits at most.
  Result<Token> BasedNumber() {
    char mark = static_cast<char>(std::tolower(static_cast<unsigned char>(Peek(1))));
    int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
    at_ += 2;
    std::size_t begin = at_;
    while (IsNameLetter(Peek())) ++at_;
    std::string_view digits = text_.substr(begin, at_ - begin);
    std::uint64_t number = 0;
    if (base == 0) return Invalid("invalid syntax");
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
    if (error == std::errc::result_out_of_range) return Invalid("result too large");
    if (error != std::errc() || end != digits.data() + digits.size())
      return Invalid("invalid syntax");
    return Token{Token::Kind::kNumber, "", Integer(number)};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<Token>> Tokenize(std::string_view expression) {
  return Tokenizer(expression).Run();
}

}  // namespace viv::engine::functions
