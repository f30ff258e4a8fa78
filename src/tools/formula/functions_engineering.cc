// Number systems, bits, units and the error function.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/text.h"
#include "tools/formula/functions.h"

namespace viv::formula {
namespace {

std::string DigitsOf(std::uint64_t number, unsigned base) {
  std::string out;
  do out += "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number % base];
  while ((number /= base) != 0);
  std::reverse(out.begin(), out.end());
  return out;
}

std::optional<double> FromDigits(std::string_view text, unsigned base) {
  double number = 0;
  if (text.size() > 255) return std::nullopt;
  for (char c : UpperText(text)) {
    unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                     : c >= 'A' && c <= 'Z' ? static_cast<unsigned>(c - 'A') + 10
                                            : 99;
    if (digit >= base) return std::nullopt;
    number = number * base + digit;
  }
  return number;
}

// BIN2…, OCT2…, HEX2…: at most ten digits, the highest of which is the sign.
std::optional<double> FromTwosComplement(const std::string& text, unsigned base, double half) {
  std::optional<double> number = text.size() > 10 ? std::nullopt : FromDigits(text, base);
  if (number && *number >= half) *number -= 2 * half;
  return number;
}

Operand ToTwosComplement(Call& call, double number, unsigned base, double half) {
  number = std::trunc(number);
  if (number < -half || number >= half) return Err(ErrorKind::kNumber);
  std::string digits =
      DigitsOf(static_cast<std::uint64_t>(number < 0 ? number + 2 * half : number), base);
  if (call.Has(1) && number >= 0) {
    int places = call.Integer(1);
    if (places < static_cast<int>(digits.size()) || places > 10) return Err(ErrorKind::kNumber);
    digits.insert(0, static_cast<std::size_t>(places) - digits.size(), '0');
  }
  return Txt(digits);
}

struct NumberSystem {
  unsigned base;
  double half;  // half of what ten digits can say
};
constexpr NumberSystem kBinary{2, 512}, kOctal{8, 536'870'912.0},
    kHexadecimal{16, 549'755'813'888.0};

Operand Translated(Call& call, const NumberSystem& from, const NumberSystem& to) {
  std::optional<double> number = FromTwosComplement(call.Text(0), from.base, from.half);
  if (!number) return Err(ErrorKind::kNumber);
  return ToTwosComplement(call, *number, to.base, to.half);
}

Operand ToDecimal(Call& call, const NumberSystem& from) {
  std::optional<double> number = FromTwosComplement(call.Text(0), from.base, from.half);
  return number ? Num(*number) : Err(ErrorKind::kNumber);
}

Operand RunBits(Call& call, char op) {
  double a = call.Number(0), b = call.Number(1);
  constexpr double kBitsMax = 281'474'976'710'656.0;
  bool shift = op == '<' || op == '>';
  if (a < 0 || a >= kBitsMax || (!shift && (b < 0 || b >= kBitsMax)))
    return Err(ErrorKind::kNumber);
  auto left = static_cast<std::uint64_t>(a);
  if (shift) {
    int by = ToInt(op == '<' ? b : -b);
    if (by < -53 || by > 53) return Err(ErrorKind::kNumber);
    double result = std::floor(std::ldexp(static_cast<double>(left), by));
    return result >= kBitsMax ? Err(ErrorKind::kNumber) : Num(result);
  }
  auto right = static_cast<std::uint64_t>(b);
  return Num(static_cast<double>(op == '&'   ? left & right
                                 : op == '|' ? left | right
                                             : left ^ right));
}

Operand RunBase(Call& call) {
  double number = std::trunc(call.Number(0));
  int base = call.Integer(1), digits_min = call.Integer(2, 0);
  if (number < 0 || number > 9e15 || base < 2 || base > 36 || digits_min < 0 || digits_min > 255)
    return Err(ErrorKind::kNumber);
  std::string digits = DigitsOf(static_cast<std::uint64_t>(number), static_cast<unsigned>(base));
  if (static_cast<int>(digits.size()) < digits_min)
    digits.insert(0, static_cast<std::size_t>(digits_min) - digits.size(), '0');
  return Txt(digits);
}

Operand RunDecimal(Call& call) {
  int base = call.Integer(1);
  if (base < 2 || base > 36) return Err(ErrorKind::kNumber);
  std::optional<double> number = FromDigits(call.Text(0), static_cast<unsigned>(base));
  return number ? Num(*number) : Err(ErrorKind::kNumber);
}

struct RomanDigit {
  int value;
  std::string_view text;
};
constexpr std::array<RomanDigit, 13> kRomanDigits = {{{1000, "M"},
                                                      {900, "CM"},
                                                      {500, "D"},
                                                      {400, "CD"},
                                                      {100, "C"},
                                                      {90, "XC"},
                                                      {50, "L"},
                                                      {40, "XL"},
                                                      {10, "X"},
                                                      {9, "IX"},
                                                      {5, "V"},
                                                      {4, "IV"},
                                                      {1, "I"}}};

Operand RunRoman(Call& call) {
  int number = call.Integer(0);
  if (number < 0 || number > 3999) return Err(ErrorKind::kValue);
  std::string out;
  for (const RomanDigit& digit : kRomanDigits)
    for (; number >= digit.value; number -= digit.value) out += digit.text;
  return Txt(out);
}

Operand RunArabic(Call& call) {
  std::string text = UpperText(Trim(call.Text(0)));
  int sum = 0, before = 0;
  if (text.size() > 255) return Err(ErrorKind::kValue);
  for (std::size_t i = text.size(); i-- > 0;) {
    int value = 0;
    for (const RomanDigit& digit : kRomanDigits)
      if (digit.text.size() == 1 && digit.text[0] == text[i]) value = digit.value;
    if (value == 0) return Err(ErrorKind::kValue);
    sum += value < before ? -value : value;
    before = std::max(before, value);
  }
  return Num(sum);
}

struct Unit {
  std::string_view name;
  char kind;      // what is measured; units of different kinds do not convert
  double factor;  // to the kind's first unit
};
constexpr Unit kUnits[] = {{"g", 'm', 1},
                           {"kg", 'm', 1000},
                           {"mg", 'm', 1e-3},
                           {"lbm", 'm', 453.59237},
                           {"ozm", 'm', 28.349523125},
                           {"stone", 'm', 6350.29318},
                           {"ton", 'm', 907184.74},
                           {"m", 'l', 1},
                           {"km", 'l', 1000},
                           {"cm", 'l', 0.01},
                           {"mm", 'l', 1e-3},
                           {"mi", 'l', 1609.344},
                           {"Nmi", 'l', 1852},
                           {"in", 'l', 0.0254},
                           {"ft", 'l', 0.3048},
                           {"yd", 'l', 0.9144},
                           {"ly", 'l', 9.46073047258e15},
                           {"sec", 't', 1},
                           {"s", 't', 1},
                           {"mn", 't', 60},
                           {"min", 't', 60},
                           {"hr", 't', 3600},
                           {"day", 't', 86400},
                           {"d", 't', 86400},
                           {"yr", 't', 31557600},
                           {"l", 'v', 1},
                           {"L", 'v', 1},
                           {"lt", 'v', 1},
                           {"ml", 'v', 1e-3},
                           {"gal", 'v', 3.785411784},
                           {"qt", 'v', 0.946352946},
                           {"pt", 'v', 0.473176473},
                           {"cup", 'v', 0.2365882365},
                           {"oz", 'v', 0.0295735295625},
                           {"tbs", 'v', 0.01478676478125},
                           {"tsp", 'v', 0.00492892159375},
                           {"m3", 'v', 1000},
                           {"J", 'e', 1},
                           {"kJ", 'e', 1000},
                           {"cal", 'e', 4.1868},
                           {"kcal", 'e', 4186.8},
                           {"Wh", 'e', 3600},
                           {"kWh", 'e', 3.6e6},
                           {"BTU", 'e', 1055.05585262},
                           {"eV", 'e', 1.602176487e-19},
                           {"W", 'p', 1},
                           {"kW", 'p', 1000},
                           {"HP", 'p', 745.69987158227},
                           {"Pa", 'f', 1},
                           {"kPa", 'f', 1000},
                           {"atm", 'f', 101325},
                           {"mmHg", 'f', 133.322},
                           {"psi", 'f', 6894.757293168361},
                           {"bar", 'f', 1e5},
                           {"N", 'n', 1},
                           {"lbf", 'n', 4.4482216152605},
                           {"m2", 'a', 1},
                           {"km2", 'a', 1e6},
                           {"ha", 'a', 1e4},
                           {"ft2", 'a', 0.09290304},
                           {"mi2", 'a', 2589988.110336},
                           {"us_acre", 'a', 4046.87260987425},
                           {"m/s", 's', 1},
                           {"km/h", 's', 1 / 3.6},
                           {"kph", 's', 1 / 3.6},
                           {"mph", 's', 0.44704},
                           {"kn", 's', 1852.0 / 3600},
                           {"byte", 'b', 8},
                           {"bit", 'b', 1},
                           {"kbyte", 'b', 8000},
                           {"Mbyte", 'b', 8e6},
                           {"Gbyte", 'b', 8e9},
                           {"kibyte", 'b', 8192},
                           {"Mibyte", 'b', 8388608},
                           {"Gibyte", 'b', 8589934592.0}};

std::optional<double> ToKelvin(double value, std::string_view unit) {
  if (unit == "C" || unit == "cel") return value + 273.15;
  if (unit == "F" || unit == "fah") return (value - 32) / 1.8 + 273.15;
  if (unit == "K" || unit == "kel") return value;
  return std::nullopt;
}

Operand RunConvert(Call& call) {
  double number = call.Number(0);
  std::string from = call.Text(1), to = call.Text(2);
  if (std::optional<double> kelvin = ToKelvin(number, from)) {
    if (to == "C" || to == "cel") return Num(*kelvin - 273.15);
    if (to == "F" || to == "fah") return Num((*kelvin - 273.15) * 1.8 + 32);
    return to == "K" || to == "kel" ? Num(*kelvin) : Err(ErrorKind::kNotAvailable);
  }
  const Unit *left = nullptr, *right = nullptr;
  for (const Unit& unit : kUnits) {
    if (unit.name == from) left = &unit;
    if (unit.name == to) right = &unit;
  }
  if (!left || !right || left->kind != right->kind) return Err(ErrorKind::kNotAvailable);
  return Num(number * left->factor / right->factor);
}

const std::array kEngineeringTable = {
    Function{"BIN2DEC", "V", 1, 1, [](Call& c) { return ToDecimal(c, kBinary); }},
    Function{"OCT2DEC", "V", 1, 1, [](Call& c) { return ToDecimal(c, kOctal); }},
    Function{"HEX2DEC", "V", 1, 1, [](Call& c) { return ToDecimal(c, kHexadecimal); }},
    Function{"DEC2BIN", "V", 1, 2,
             [](Call& c) { return ToTwosComplement(c, c.Number(0), 2, 512); }},
    Function{"DEC2OCT", "V", 1, 2,
             [](Call& c) { return ToTwosComplement(c, c.Number(0), 8, kOctal.half); }},
    Function{"DEC2HEX", "V", 1, 2,
             [](Call& c) { return ToTwosComplement(c, c.Number(0), 16, kHexadecimal.half); }},
    Function{"BIN2HEX", "V", 1, 2, [](Call& c) { return Translated(c, kBinary, kHexadecimal); }},
    Function{"BIN2OCT", "V", 1, 2, [](Call& c) { return Translated(c, kBinary, kOctal); }},
    Function{"HEX2BIN", "V", 1, 2, [](Call& c) { return Translated(c, kHexadecimal, kBinary); }},
    Function{"HEX2OCT", "V", 1, 2, [](Call& c) { return Translated(c, kHexadecimal, kOctal); }},
    Function{"OCT2BIN", "V", 1, 2, [](Call& c) { return Translated(c, kOctal, kBinary); }},
    Function{"OCT2HEX", "V", 1, 2, [](Call& c) { return Translated(c, kOctal, kHexadecimal); }},
    Function{"BITAND", "V", 2, 2, [](Call& c) { return RunBits(c, '&'); }},
    Function{"BITOR", "V", 2, 2, [](Call& c) { return RunBits(c, '|'); }},
    Function{"BITXOR", "V", 2, 2, [](Call& c) { return RunBits(c, '^'); }},
    Function{"BITLSHIFT", "V", 2, 2, [](Call& c) { return RunBits(c, '<'); }},
    Function{"BITRSHIFT", "V", 2, 2, [](Call& c) { return RunBits(c, '>'); }},
    Function{"BASE", "V", 2, 3, RunBase},
    Function{"DECIMAL", "V", 2, 2, RunDecimal},
    Function{"ROMAN", "V", 1, 2, RunRoman},
    Function{"ARABIC", "V", 1, 1, RunArabic},
    Function{"CONVERT", "V", 3, 3, RunConvert},
    Function{"DELTA", "V", 1, 2,
             [](Call& c) { return Num(c.Number(0) == c.Number(1, 0) ? 1 : 0); }},
    Function{"GESTEP", "V", 1, 2,
             [](Call& c) { return Num(c.Number(0) >= c.Number(1, 0) ? 1 : 0); }},
    Function{"ERF", "V", 1, 2,
             [](Call& c) {
               double from = std::erf(c.Number(0));
               return Num(c.Has(1) ? std::erf(c.Number(1)) - from : from);
             }},
    Function{"ERF.PRECISE", "V", 1, 1, [](Call& c) { return Num(std::erf(c.Number(0))); }},
    Function{"ERFC", "V", 1, 1, [](Call& c) { return Num(std::erfc(c.Number(0))); }},
    Function{"ERFC.PRECISE", "V", 1, 1, [](Call& c) { return Num(std::erfc(c.Number(0))); }},
};

}  // namespace

FunctionList EngineeringFunctions() {
  return kEngineeringTable;
}

}  // namespace viv::formula
