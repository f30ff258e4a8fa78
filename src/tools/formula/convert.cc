#include "tools/formula/convert.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "tools/formula/calendar.h"

namespace viv::formula {
namespace {

// "1,234,567.5" without its separators; nothing when they stand in wrong places.
std::optional<std::string> WithoutThousands(std::string_view text) {
  if (text.find(',') == std::string_view::npos) return std::string(text);
  std::size_t point = text.find_first_of(".eE");
  std::string_view whole = text.substr(0, point);
  std::vector<std::string_view> groups = Split(whole, ',');
  if (groups[0].empty() || groups[0].size() > 3) return std::nullopt;
  std::string out(groups[0]);
  for (std::size_t i = 1; i < groups.size(); ++i) {
    if (groups[i].size() != 3) return std::nullopt;
    out += groups[i];
  }
  if (point != std::string_view::npos) out += text.substr(point);
  return out;
}

std::optional<double> PlainNumber(std::string_view text) {
  std::optional<std::string> digits = WithoutThousands(text);
  if (!digits || digits->empty()) return std::nullopt;
  char first = (*digits)[0];
  if (first != '.' && (first < '0' || first > '9')) return std::nullopt;  // no "inf", "nan"
  double number = 0;
  const char* end = digits->data() + digits->size();
  auto [stopped, problem] = std::from_chars(digits->data(), end, number);
  if (problem != std::errc() || stopped != end) return std::nullopt;
  return number;
}

// Letters with a simple partner of the other case: Latin-1, Latin Extended-A, Greek, Cyrillic.
char32_t UpperCharacter(char32_t c) {
  if (c < 0x80) return c >= 'a' && c <= 'z' ? c - 32 : c;
  if ((c >= 0xE0 && c <= 0xFE && c != 0xF7) || (c >= 0x3B1 && c <= 0x3CB && c != 0x3C2) ||
      (c >= 0x430 && c <= 0x44F))
    return c - 32;
  if (c == 0xFF) return 0x178;
  if (c >= 0x450 && c <= 0x45F) return c - 80;
  if ((c >= 0x100 && c <= 0x137 && c != 0x131) || (c >= 0x14A && c <= 0x177)) return c & ~1U;
  if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E)) return (c & 1U) ? c : c - 1;
  return c;
}

char32_t LowerCharacter(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  if ((c >= 0xC0 && c <= 0xDE && c != 0xD7) || (c >= 0x391 && c <= 0x3AB && c != 0x3A2) ||
      (c >= 0x410 && c <= 0x42F))
    return c + 32;
  if (c == 0x178) return 0xFF;
  if (c >= 0x400 && c <= 0x40F) return c + 80;
  if ((c >= 0x100 && c <= 0x137 && c != 0x130) || (c >= 0x14A && c <= 0x177)) return c | 1U;
  if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E)) return (c & 1U) ? c + 1 : c;
  return c;
}

bool IsAscii(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

int Rank(const Value& value) {
  if (std::holds_alternative<double>(value)) return 0;
  if (std::holds_alternative<std::string>(value)) return 1;
  return 2;
}

// A blank beside a value of some kind is the nothing of that kind.
Value BlankLike(const Value& other) {
  if (std::holds_alternative<std::string>(other)) return std::string();
  if (std::holds_alternative<bool>(other)) return false;
  return 0.0;
}

char32_t AsciiLower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char32_t>(c + 32) : static_cast<unsigned char>(c);
}

int CompareTexts(std::string_view a, std::string_view b) {
  std::size_t both = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < both; ++i) {
    char32_t left = AsciiLower(a[i]), right = AsciiLower(b[i]);
    if (left >= 0x80 || right >= 0x80) {  // only then are whole characters needed
      int order = LowerText(a.substr(i)).compare(LowerText(b.substr(i)));
      return order < 0 ? -1 : order > 0 ? 1 : 0;
    }
    if (left != right) return left < right ? -1 : 1;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

}  // namespace

std::optional<double> ParseNumberText(std::string_view text) {
  std::string_view rest = Trim(text);
  if (rest.empty() || rest.size() > 64) return std::nullopt;
  if (rest.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
  double factor = 1;
  bool in_parentheses = rest.size() > 2 && rest.front() == '(' && rest.back() == ')';
  if (in_parentheses) {
    rest = Trim(rest.substr(1, rest.size() - 2));
    factor = -1;
  }
  bool is_percent = rest.size() > 1 && rest.back() == '%';
  if (is_percent) rest = Trim(rest.substr(0, rest.size() - 1));
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+') && !in_parentheses) {
    if (rest[0] == '-') factor = -1;
    rest = Trim(rest.substr(1));
  }
  if (!rest.empty() && rest[0] == '$') rest.remove_prefix(1);
  if (std::optional<double> number = PlainNumber(rest))
    return factor * (is_percent ? *number / 100 : *number);
  if (is_percent || in_parentheses) return std::nullopt;
  return ParseDateText(text);
}

tl::expected<double, ErrorKind> ToNumber(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  if (const auto* error = std::get_if<ErrorKind>(&value)) return tl::unexpected(*error);
  const auto* text = std::get_if<std::string>(&value);
  if (!text) return 0;
  std::optional<double> number = ParseNumberText(*text);
  if (!number) return tl::unexpected(ErrorKind::kValue);
  return *number;
}

tl::expected<bool, ErrorKind> ToFlag(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (EqualsIgnoreCase(*text, "TRUE")) return true;
    if (EqualsIgnoreCase(*text, "FALSE")) return false;
  }
  tl::expected<double, ErrorKind> number = ToNumber(value);
  if (!number) return tl::unexpected(number.error());
  return *number != 0;
}

int Compare(const Value& a, const Value& b) {
  if (IsBlank(a) && IsBlank(b)) return 0;
  if (IsBlank(a)) return Compare(BlankLike(b), b);
  if (IsBlank(b)) return Compare(a, BlankLike(a));
  if (Rank(a) != Rank(b)) return Rank(a) < Rank(b) ? -1 : 1;
  if (const auto* left = std::get_if<double>(&a)) {
    double right = std::get<double>(b);
    // What differs in the last bits only is the same number to someone who sees 15 digits.
    double difference = *left - right;
    if (std::fabs(difference) <= std::fabs(right) * 4e-16) return 0;
    return difference < 0 ? -1 : 1;
  }
  if (const auto* left = std::get_if<std::string>(&a))
    return CompareTexts(*left, std::get<std::string>(b));
  const auto* left = std::get_if<bool>(&a);
  const auto* right = std::get_if<bool>(&b);
  if (!left || !right || *left == *right) return 0;
  return *left ? 1 : -1;
}

bool HasWildcard(std::string_view pattern) {
  return pattern.find_first_of("*?~") != std::string_view::npos;
}

bool MatchesWildcard(std::string_view pattern, std::string_view text) {
  // The last star and where its run began are all that has to be remembered to go back.
  std::vector<char32_t> wanted = ToCharacters(LowerText(pattern));
  std::vector<char32_t> given = ToCharacters(LowerText(text));
  std::size_t p = 0, t = 0, star = wanted.size(), star_text = 0;
  bool has_star = false;
  // Patterns that go back again and again are cut off: they match nothing.
  std::size_t steps_left = 1000 + 64 * (given.size() + wanted.size());
  while (t < given.size()) {
    if (steps_left-- == 0) return false;
    bool quoted = p + 1 < wanted.size() && wanted[p] == '~';
    if (p < wanted.size() && !quoted && wanted[p] == '*') {
      has_star = true;
      star = p++;
      star_text = t;
    } else if (p < wanted.size() &&
               ((!quoted && wanted[p] == '?') || wanted[quoted ? p + 1 : p] == given[t])) {
      p += quoted ? 2 : 1;
      ++t;
    } else if (has_star) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < wanted.size() && wanted[p] == '*') ++p;
  return p == wanted.size();
}

std::vector<char32_t> ToCharacters(std::string_view text) {
  std::vector<char32_t> out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    auto lead = static_cast<unsigned char>(text[i]);
    std::size_t length = lead < 0x80    ? 1
                         : lead >= 0xF0 ? 4
                         : lead >= 0xE0 ? 3
                         : lead >= 0xC0 ? 2
                                        : 1;
    if (length == 1 || i + length > text.size()) {
      out.push_back(lead);
      ++i;
      continue;
    }
    char32_t character = lead & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k)
      character = (character << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    out.push_back(character);
    i += length;
  }
  return out;
}

void AppendCharacter(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | ((c >> 18) & 0x07));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

std::string FromCharacters(const std::vector<char32_t>& characters) {
  std::string out;
  for (char32_t c : characters) AppendCharacter(out, c);
  return out;
}

std::string UpperText(std::string_view text) {
  std::string out;
  if (IsAscii(text)) {
    out = std::string(text);
    for (char& c : out) c = static_cast<char>(UpperCharacter(static_cast<unsigned char>(c)));
    return out;
  }
  for (char32_t c : ToCharacters(text)) AppendCharacter(out, UpperCharacter(c));
  return out;
}

std::string LowerText(std::string_view text) {
  std::string out;
  if (IsAscii(text)) {
    out = std::string(text);
    for (char& c : out) c = static_cast<char>(LowerCharacter(static_cast<unsigned char>(c)));
    return out;
  }
  for (char32_t c : ToCharacters(text)) AppendCharacter(out, LowerCharacter(c));
  return out;
}

int ToInt(double number) {
  if (!(number > std::numeric_limits<int>::min())) return std::numeric_limits<int>::min();
  if (number >= std::numeric_limits<int>::max()) return std::numeric_limits<int>::max();
  return static_cast<int>(number);
}

}  // namespace viv::formula
