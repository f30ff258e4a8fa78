#include "tools/formula/number_format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "base/text.h"
#include "tools/formula/date_format.h"
#include "tools/formula/fraction_format.h"
#include "tools/formula/rounding.h"

namespace viv::formula {
namespace {

// A format cut into what is shown as it stands and the placeholders between. Literals keep their
// place in the run of placeholders: "000-0000" puts the dash into the digits.
struct FormatPart {
  enum class Kind {
    kLiteral,
    kDigit,
    kPoint,
    kComma,
    kPercent,
    kExponent,
    kSlash,
    kAt,
    kGeneral
  } kind;
  std::string text;
};

struct Condition {
  char test = 0;  // 0: none; '<', '>', '=', 'l' (<=), 'g' (>=), '!' (<>)
  double bound = 0;
};

struct Section {
  std::string text;
  Condition condition;
};

std::vector<std::string> CutSections(std::string_view format) {
  std::vector<std::string> sections(1);
  bool quoted = false;
  for (std::size_t i = 0; i < format.size(); ++i) {
    char c = format[i];
    if (c == '\\' && !quoted && i + 1 < format.size()) {
      sections.back() += c;
      c = format[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ';' && !quoted) {
      sections.emplace_back();
      continue;
    }
    sections.back() += c;
  }
  return sections;
}

// "[>=100]" and "[<0]"; colours and the like are dropped, "[$€-407]" shows its sign.
bool ReadBracket(std::string_view inside, Section& section) {
  if (!inside.empty() && inside[0] == '$') {
    std::string_view sign = inside.substr(1, inside.find('-') - 1);
    section.text += "\"" + std::string(sign) + "\"";
    return true;
  }
  if (!inside.empty() && (inside[0] == '<' || inside[0] == '>' || inside[0] == '=')) {
    std::string_view number = inside.substr(1);
    char test = inside[0];
    if (!number.empty() && (number[0] == '=' || number[0] == '>')) {
      test = number[0] == '>' ? '!' : test == '<' ? 'l' : 'g';
      number.remove_prefix(1);
    }
    double bound = 0;
    auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), bound);
    if (problem == std::errc() && end == number.data() + number.size())
      section.condition = {test, bound};
    return true;
  }
  std::string lower = ToLower(inside);
  bool elapsed = !lower.empty() && lower.find_first_not_of(lower[0]) == std::string::npos &&
                 (lower[0] == 'h' || lower[0] == 'm' || lower[0] == 's');
  return !elapsed;  // "[h]" belongs to the date
}

Section ReadSection(std::string_view text) {
  Section section;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') quoted = !quoted;
    if (c == '\\' && !quoted && i + 1 < text.size()) {
      section.text += c;
      section.text += text[++i];
      continue;
    }
    std::size_t close = c == '[' && !quoted ? text.find(']', i) : std::string_view::npos;
    if (close != std::string_view::npos &&
        ReadBracket(text.substr(i + 1, close - i - 1), section)) {
      i = close;
      continue;
    }
    section.text += c;
  }
  return section;
}

bool Holds(const Condition& condition, double number) {
  switch (condition.test) {
    case '<':
      return number < condition.bound;
    case '>':
      return number > condition.bound;
    case '=':
      return number == condition.bound;
    case 'l':
      return number <= condition.bound;
    case 'g':
      return number >= condition.bound;
    case '!':
      return number != condition.bound;
    default:
      return true;
  }
}

std::vector<FormatPart> CutParts(std::string_view text) {
  using Kind = FormatPart::Kind;
  std::vector<FormatPart> parts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') {
      std::size_t close = std::min(text.find('"', i + 1), text.size());
      parts.push_back({Kind::kLiteral, std::string(text.substr(i + 1, close - i - 1))});
      i = close;
    } else if (c == '\\' && i + 1 < text.size()) {
      parts.push_back({Kind::kLiteral, std::string(1, text[++i])});
    } else if (c == '_' && i + 1 < text.size()) {
      parts.push_back({Kind::kLiteral, " "});
      ++i;
    } else if (c == '*' && i + 1 < text.size()) {
      ++i;  // fills the cell, which has no width here
    } else if (c == '0' || c == '#' || c == '?') {
      parts.push_back({Kind::kDigit, std::string(1, c)});
    } else if (c == '.') {
      parts.push_back({Kind::kPoint, "."});
    } else if (c == ',') {
      parts.push_back({Kind::kComma, ","});
    } else if (c == '%') {
      parts.push_back({Kind::kPercent, "%"});
    } else if ((c == 'E' || c == 'e') && i + 1 < text.size() &&
               (text[i + 1] == '+' || text[i + 1] == '-')) {
      parts.push_back({Kind::kExponent, std::string(text.substr(i, 2))});
      ++i;
    } else if (c == '@') {
      parts.push_back({Kind::kAt, "@"});
    } else if (EqualsIgnoreCase(text.substr(i, 7), "General")) {
      parts.push_back({Kind::kGeneral, ""});
      i += 6;
    } else {
      parts.push_back({Kind::kLiteral, std::string(1, c)});
    }
  }
  return parts;
}

// What the placeholders ask for.
struct NumberShape {
  int whole_min = 0, decimals_min = 0, decimals_max = 0, exponent_min = 0, whole_places = 0;
  int scale_thousands = 0, percents = 0;
  bool grouped = false, has_point = false, has_exponent = false, has_digit = false;
};

NumberShape ReadShape(const std::vector<FormatPart>& parts) {
  using Kind = FormatPart::Kind;
  NumberShape shape;
  int pending_commas = 0;
  for (const FormatPart& part : parts) {
    if (part.kind == Kind::kDigit) {
      shape.has_digit = true;
      if (pending_commas > 0 && !shape.has_point) shape.grouped = true;
      pending_commas = 0;
      if (shape.has_exponent) {
        ++shape.exponent_min;
      } else if (shape.has_point) {
        ++shape.decimals_max;
        if (part.text[0] != '#') shape.decimals_min = shape.decimals_max;
      } else {
        ++shape.whole_places;
        if (part.text[0] != '#' || shape.whole_min > 0) ++shape.whole_min;
      }
    } else if (part.kind == Kind::kComma && shape.has_digit) {
      ++pending_commas;
    } else if (part.kind == Kind::kPoint && !shape.has_exponent) {
      shape.scale_thousands += pending_commas;
      pending_commas = 0;
      shape.has_point = true;
    } else if (part.kind == Kind::kExponent) {
      shape.has_exponent = true;
    } else if (part.kind == Kind::kPercent) {
      ++shape.percents;
    }
  }
  shape.scale_thousands += pending_commas;
  return shape;
}

// Digits of a number that is not negative, rounded to so many decimals: "1234", "50".
struct Digits {
  std::string whole, decimals;
};

Digits DigitsFor(double number, int decimals) {
  decimals = std::min(decimals, 30);
  char buffer[400];
  double rounded = RoundTo(number, decimals, Rounding::kNearest);
  auto [end, problem] =
      std::to_chars(buffer, buffer + sizeof buffer, rounded, std::chars_format::fixed, decimals);
  std::string text = problem == std::errc() ? std::string(buffer, end) : "0";
  std::size_t point = text.find('.');
  if (point == std::string::npos) return {text, ""};
  return {text.substr(0, point), text.substr(point + 1)};
}

std::string ExponentText(int exponent, int digits_min, char sign) {
  std::string digits = std::to_string(std::abs(exponent));
  if (static_cast<int>(digits.size()) < digits_min)
    digits.insert(0, static_cast<std::size_t>(digits_min) - digits.size(), '0');
  return (exponent < 0 ? "-" : sign == '+' ? "+" : "") + digits;
}

// The exponent of a number written with that many digits before the point.
int ExponentFor(double& number, const NumberShape& shape) {
  if (number == 0) return 0;
  int places = std::max(1, shape.whole_places);
  int exponent = static_cast<int>(std::floor(std::log10(number))) - (places - 1);
  if (places > 1)
    exponent = static_cast<int>(std::floor(std::floor(std::log10(number)) / places)) * places;
  double shown = RoundTo(number / std::pow(10.0, exponent), shape.decimals_max, Rounding::kNearest);
  if (shown >= std::pow(10.0, places)) exponent += places > 1 ? places : 1;
  number /= std::pow(10.0, exponent);
  return exponent;
}

std::string DecimalDigit(const std::string& decimals, std::size_t place, char placeholder) {
  if (place < decimals.size()) return std::string(1, decimals[place]);
  return placeholder == '?' ? " " : "";
}

// The digit for a place of the whole part, counted from the left; the first place takes all digits
// for which there is none.
std::string WholeDigits(const std::string& whole,
                        const NumberShape& shape,
                        int place,
                        char placeholder) {
  int count = static_cast<int>(whole.size());
  int at = count - (shape.whole_places - place);
  if (at < 0) return placeholder == '?' ? " " : "";
  std::string shown;
  for (int k = place == 0 ? 0 : at; k <= at; ++k) {
    int rest = count - k;  // digits from here on
    shown += whole[static_cast<std::size_t>(k)];
    if (shape.grouped && rest > 1 && rest % 3 == 1) shown += ',';
  }
  return shown;
}

// Writes the digits into the places that the format leaves for them, from the right for the whole
// part, so that literals between them stay where they are.
std::string Fill(const std::vector<FormatPart>& parts, const NumberShape& shape, double number) {
  using Kind = FormatPart::Kind;
  number *= std::pow(100.0, shape.percents) / std::pow(1000.0, shape.scale_thousands);
  int exponent = shape.has_exponent ? ExponentFor(number, shape) : 0;
  Digits digits = DigitsFor(number, shape.decimals_max);
  std::string whole = digits.whole == "0" && shape.whole_min == 0 ? "" : digits.whole;
  if (static_cast<int>(whole.size()) < shape.whole_min)
    whole.insert(0, static_cast<std::size_t>(shape.whole_min) - whole.size(), '0');
  std::string decimals = digits.decimals;
  while (static_cast<int>(decimals.size()) > shape.decimals_min && decimals.back() == '0')
    decimals.pop_back();
  std::string out;
  int place = 0;
  std::size_t decimal = 0;
  bool after_point = false, after_exponent = false;
  for (const FormatPart& part : parts) {
    switch (part.kind) {
      case Kind::kLiteral:
        out += part.text;
        break;
      case Kind::kPercent:
        out += "%";
        break;
      case Kind::kPoint:
        if (!after_point) out += ".";
        after_point = true;
        break;
      case Kind::kExponent:
        out += "E" + ExponentText(exponent, shape.exponent_min, part.text[1]);
        after_exponent = true;
        break;
      case Kind::kDigit:
        if (after_exponent) break;
        out += after_point ? DecimalDigit(decimals, decimal++, part.text[0])
                           : WholeDigits(whole, shape, place++, part.text[0]);
        break;
      default:
        break;
    }
  }
  return out;
}

std::string FormatNumber(const Section& section, double number, bool show_sign) {
  std::string sign = show_sign && number < 0 ? "-" : "";
  if (IsDateFormat(section.text)) {
    if (number < 0) return std::string(11, '#');
    return FormatDate(number, section.text);
  }
  if (IsFractionFormat(section.text)) return sign + FormatFraction(std::fabs(number), section.text);
  std::vector<FormatPart> parts = CutParts(section.text);
  NumberShape shape = ReadShape(parts);
  std::string out;
  if (shape.has_digit) {
    out = Fill(parts, shape, std::fabs(number));
    bool is_zero = out.find_first_of("123456789") == std::string::npos;
    return is_zero && number < 0 && std::fabs(number) < 1 ? out : sign + out;
  }
  for (const FormatPart& part : parts) {
    bool shows = part.kind == FormatPart::Kind::kGeneral || part.kind == FormatPart::Kind::kAt;
    out += shows ? NumberText(std::fabs(number)) : part.text;
  }
  return sign + out;
}

std::string FormatText(const std::string& text, std::string_view format) {
  std::string out;
  bool any = false;
  for (const FormatPart& part : CutParts(format)) {
    any = any || part.kind == FormatPart::Kind::kAt;
    out += part.kind == FormatPart::Kind::kAt ? text : part.text;
  }
  return any ? out : text;
}

// Which section a number takes, and whether its sign is still to be shown.
std::pair<std::size_t, bool> ChooseSection(const std::vector<Section>& sections, double number) {
  std::size_t count = std::min<std::size_t>(sections.size(), 3);
  bool conditional = false;
  for (std::size_t i = 0; i < count; ++i)
    conditional = conditional || sections[i].condition.test != 0;
  if (conditional) {
    for (std::size_t i = 0; i < count; ++i)
      if (Holds(sections[i].condition, number)) return {i, true};
    return {count - 1, true};
  }
  if (count == 1 || number > 0) return {0, count == 1};
  if (number < 0) return {1, false};
  return {count == 3 ? 2 : 0, false};
}

}  // namespace

std::string FormatValue(const Value& value, std::string_view format) {
  if (format.size() > kNumberFormatBytesMax || EqualsIgnoreCase(format, "General"))
    return ToText(value);
  std::vector<Section> sections;
  for (const std::string& text : CutSections(format)) sections.push_back(ReadSection(text));
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (sections.size() >= 4) return FormatText(*text, sections[3].text);
    return sections.size() == 1 ? FormatText(*text, sections[0].text) : *text;
  }
  const auto* number = std::get_if<double>(&value);
  if (!number && !IsBlank(value)) return ToText(value);
  double shown = number ? *number : 0;
  auto [index, show_sign] = ChooseSection(sections, shown);
  return FormatNumber(sections[index], shown, show_sign);
}

}  // namespace viv::formula
