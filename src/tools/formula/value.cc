#include "tools/formula/value.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "base/text.h"

namespace viv::formula {
namespace {

struct ErrorName {
  ErrorKind kind;
  std::string_view text;
};

constexpr std::array<ErrorName, 9> kErrorNames = {{{ErrorKind::kNull, "#NULL!"},
                                                   {ErrorKind::kDivideByZero, "#DIV/0!"},
                                                   {ErrorKind::kValue, "#VALUE!"},
                                                   {ErrorKind::kReference, "#REF!"},
                                                   {ErrorKind::kName, "#NAME?"},
                                                   {ErrorKind::kNumber, "#NUM!"},
                                                   {ErrorKind::kNotAvailable, "#N/A"},
                                                   {ErrorKind::kSpill, "#SPILL!"},
                                                   {ErrorKind::kCalculation, "#CALC!"}}};

// "1.50000E+20" to "1.5E+20": General shows no digit that says nothing.
std::string WithoutTrailingZeros(std::string text) {
  std::size_t exponent = text.find('E');
  std::string tail = exponent == std::string::npos ? "" : text.substr(exponent);
  std::string head = text.substr(0, exponent);
  if (head.find('.') != std::string::npos) {
    while (head.back() == '0') head.pop_back();
    if (head.back() == '.') head.pop_back();
  }
  return head + tail;
}

}  // namespace

std::string_view ErrorText(ErrorKind kind) {
  for (const ErrorName& name : kErrorNames)
    if (name.kind == kind) return name.text;
  return "#VALUE!";
}

std::optional<ErrorKind> FindErrorKind(std::string_view text) {
  for (const ErrorName& name : kErrorNames)
    if (EqualsIgnoreCase(name.text, text)) return name.kind;
  return std::nullopt;
}

std::string NumberText(double number) {
  if (number == 0 || !std::isfinite(number)) return "0";
  double size = std::fabs(number);
  if (size >= 1e15 || size < 1e-9) return WithoutTrailingZeros(fmt::format("{:.14E}", number));
  int whole_digits = static_cast<int>(std::floor(std::log10(size))) + 1;
  int decimals = 15 - whole_digits;
  if (decimals < 0) decimals = 0;
  return WithoutTrailingZeros(fmt::format("{:.{}f}", number, decimals));
}

std::string ToText(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return NumberText(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "TRUE" : "FALSE";
  if (const auto* error = std::get_if<ErrorKind>(&value)) return std::string(ErrorText(*error));
  return "";
}

}  // namespace viv::formula
