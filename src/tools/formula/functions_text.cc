// Text: case, joining, replacing, and turning values into text and back.

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/text.h"
#include "tools/formula/date_format.h"
#include "tools/formula/day_count.h"
#include "tools/formula/functions.h"
#include "tools/formula/number_format.h"
#include "tools/formula/rounding.h"

namespace viv::formula {
namespace {

bool IsWordCharacter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= 0xC0 && c != 0xD7 && c != 0xF7);
}

Operand RunProper(Call& call) {
  std::vector<char32_t> characters = ToCharacters(LowerText(call.Text(0)));
  bool inside = false;
  std::string out;
  for (char32_t c : characters) {
    std::string one;
    AppendCharacter(one, c);
    out += inside ? one : UpperText(one);
    inside = IsWordCharacter(c);
  }
  return Txt(out);
}

Operand RunTrim(Call& call) {
  std::string text = call.Text(0), out;
  for (std::string_view word : Split(text, ' ')) {
    if (word.empty()) continue;
    if (!out.empty()) out += ' ';
    out += word;
  }
  return Txt(out);
}

Operand RunClean(Call& call) {
  std::string out;
  for (char c : call.Text(0))
    if (static_cast<unsigned char>(c) >= 32) out += c;
  return Txt(out);
}

// Text that may grow no further fails the call.
bool Grow(Call& call, std::string& out, std::string_view more) {
  if (out.size() + more.size() > kTextBytesMax) {
    call.Fail(ErrorKind::kValue);
    return false;
  }
  out += more;
  return call.evaluator().Charge(1 + static_cast<std::int64_t>(more.size() / 16));
}

Operand RunConcat(Call& call) {
  std::string out;
  for (int i = 0; i < call.size(); ++i)
    call.ForEach(i, [&](const Value& value, bool) {
      if (const auto* error = std::get_if<ErrorKind>(&value)) call.Fail(*error);
      return !call.error() && Grow(call, out, ToText(value));
    });
  return Txt(out);
}

Operand RunTextJoin(Call& call) {
  std::string delimiter = call.Text(0), out;
  bool skip_empty = call.Flag(1, true), first = true;
  for (int i = 2; i < call.size(); ++i) {
    // Empty cells count here, so ranges are read whole unless they are to be passed over.
    Array whole;
    if (!skip_empty) whole = call.Matrix(i);
    auto take = [&](const Value& value) {
      if (const auto* error = std::get_if<ErrorKind>(&value)) call.Fail(*error);
      std::string text = ToText(value);
      if (call.error() || (text.empty() && skip_empty)) return !call.error();
      if (!first && !Grow(call, out, delimiter)) return false;
      first = false;
      return Grow(call, out, text);
    };
    if (skip_empty) call.ForEach(i, [&](const Value& value, bool) { return take(value); });
    for (const Value& value : whole.cells)
      if (!take(value)) break;
  }
  return Txt(out);
}

Operand RunSubstitute(Call& call) {
  std::string text = call.Text(0), from = call.Text(1), to = call.Text(2), out;
  int wanted = call.Integer(3, 0), seen = 0;
  if (call.Has(3) && wanted < 1) return Err(ErrorKind::kValue);
  if (from.empty()) return Txt(text);
  std::size_t at = 0;
  for (;;) {
    std::size_t found = text.find(from, at);
    if (found == std::string::npos) break;
    bool replaces = wanted == 0 || ++seen == wanted;
    if (!Grow(call, out, text.substr(at, found - at)) || !Grow(call, out, replaces ? to : from))
      return Txt("");
    at = found + from.size();
  }
  Grow(call, out, text.substr(at));
  return Txt(out);
}

Operand RunRepeat(Call& call) {
  std::string text = call.Text(0), out;
  int times = call.Integer(1);
  if (times < 0 || static_cast<double>(times) * static_cast<double>(text.size()) >
                       static_cast<double>(kTextBytesMax))
    return Err(ErrorKind::kValue);
  if (text.empty()) return Txt("");
  for (int i = 0; i < times; ++i) out += text;
  call.evaluator().Charge(static_cast<std::int64_t>(out.size() / 16));
  return Txt(out);
}

Operand RunChar(Call& call, double max) {
  double code = std::trunc(call.Number(0));
  if (code < 1 || code > max || (code >= 0xD800 && code <= 0xDFFF)) return Err(ErrorKind::kValue);
  std::string out;
  AppendCharacter(out, static_cast<char32_t>(code));
  return Txt(out);
}

Operand RunCode(Call& call) {
  std::vector<char32_t> characters = ToCharacters(call.Text(0));
  return characters.empty() ? Err(ErrorKind::kValue) : Num(static_cast<double>(characters[0]));
}

Operand RunValue(Call& call) {
  Value value = call.Scalar(0);
  if (std::holds_alternative<bool>(value)) return Err(ErrorKind::kValue);
  return Num(call.Number(0));
}

Operand RunNumberValue(Call& call) {
  std::string text = call.Text(0), point = call.Text(1, "."), group = call.Text(2, ","), plain;
  if (text.size() > 255) return Err(ErrorKind::kValue);
  for (char c : text) {
    if (c == ' ' || (!group.empty() && c == group[0] && c != point[0])) continue;
    plain += !point.empty() && c == point[0] ? '.' : c;
  }
  if (plain.empty()) return Num(0);
  std::optional<double> number = ParseNumberText(plain);
  return number ? Num(*number) : Err(ErrorKind::kValue);
}

Operand RunFixed(Call& call) {
  double number = call.Number(0);
  int places = call.Integer(1, 2);
  bool plain = call.Flag(2, false);
  if (places > 127) return Err(ErrorKind::kValue);
  double rounded = RoundTo(number, places, Rounding::kNearest);
  std::string format = plain ? "0" : "#,##0";
  if (places > 0) format += "." + std::string(static_cast<std::size_t>(places), '0');
  return Txt(FormatValue(rounded, format));
}

Operand RunDollar(Call& call) {
  double number = call.Number(0);
  int places = call.Integer(1, 2);
  if (places > 127) return Err(ErrorKind::kValue);
  double rounded = RoundTo(number, places, Rounding::kNearest);
  std::string digits = "#,##0";
  if (places > 0) digits += "." + std::string(static_cast<std::size_t>(places), '0');
  return Txt(FormatValue(rounded, "\"$\"" + digits + ";(\"$\"" + digits + ")"));
}

Operand RunText(Call& call) {
  Value value = call.Scalar(0);
  std::string format = call.Text(1);
  if (call.error()) return Txt("");
  if (format.size() > kNumberFormatBytesMax) return Err(ErrorKind::kValue);
  if (format.empty()) return Txt("");
  // Text that reads as a number or a date is formatted as one.
  if (const auto* text = std::get_if<std::string>(&value))
    if (std::optional<double> read = ParseNumberText(*text)) value = *read;
  auto* number = std::get_if<double>(&value);
  if (number && call.evaluator().dates_from_1904() && IsDateFormat(format)) *number += kDaysTo1904;
  call.evaluator().Charge(static_cast<std::int64_t>(format.size()) + 20);
  return Txt(FormatValue(value, format));
}

Operand RunT(Call& call) {
  Value value = call.Scalar(0);
  return std::holds_alternative<std::string>(value) ? Operand(value) : Txt("");
}

Operand RunN(Call& call) {
  Value value = call.Scalar(0);
  if (std::holds_alternative<std::string>(value) || IsBlank(value)) return Num(0);
  return Num(call.Number(0));
}

const std::array kTextTable = {
    Function{"LOWER", "V", 1, 1, [](Call& c) { return Txt(LowerText(c.Text(0))); }},
    Function{"UPPER", "V", 1, 1, [](Call& c) { return Txt(UpperText(c.Text(0))); }},
    Function{"PROPER", "V", 1, 1, RunProper},
    Function{"TRIM", "V", 1, 1, RunTrim},
    Function{"CLEAN", "V", 1, 1, RunClean},
    Function{"CONCATENATE", "V", 1, kManyArguments, RunConcat},
    Function{"CONCAT", "|R", 1, kManyArguments, RunConcat},
    Function{"TEXTJOIN", "VV|R", 3, kManyArguments, RunTextJoin},
    Function{"SUBSTITUTE", "V", 3, 4, RunSubstitute},
    Function{"REPT", "V", 2, 2, RunRepeat},
    Function{"EXACT", "V", 2, 2, [](Call& c) { return Flg(c.Text(0) == c.Text(1)); }},
    Function{"CHAR", "V", 1, 1, [](Call& c) { return RunChar(c, 255); }},
    Function{"UNICHAR", "V", 1, 1, [](Call& c) { return RunChar(c, 0x10FFFF); }},
    Function{"CODE", "V", 1, 1, RunCode},
    Function{"UNICODE", "V", 1, 1, RunCode},
    Function{"VALUE", "V", 1, 1, RunValue},
    Function{"NUMBERVALUE", "V", 1, 3, RunNumberValue},
    Function{"FIXED", "V", 1, 3, RunFixed},
    Function{"DOLLAR", "V", 1, 2, RunDollar},
    Function{"TEXT", "V", 2, 2, RunText},
    Function{"T", "V", 1, 1, RunT},
    Function{"N", "V", 1, 1, RunN},
    Function{"VALUETOTEXT", "V", 1, 2, [](Call& c) { return Txt(c.Text(0)); }},
};

}  // namespace

FunctionList TextFunctions() {
  return kTextTable;
}

}  // namespace viv::formula
