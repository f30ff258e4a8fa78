#include "engine/functions/number_text.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace viv::engine::functions {
namespace {

constexpr int kExponentMin = -4;  // smaller and larger ones are written with "e"
constexpr int kExponentMax = 16;

std::string WithExponent(std::string_view digits, int exponent) {
  std::string out(1, digits[0]);
  if (digits.size() > 1) out.append(".").append(digits.substr(1));
  out += exponent < 0 ? "e-" : "e+";
  if (std::abs(exponent) < 10) out += '0';
  return out + std::to_string(std::abs(exponent));
}

std::string Plain(std::string_view digits, int exponent) {
  if (exponent < 0)
    return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0').append(digits);
  auto whole = static_cast<std::size_t>(exponent) + 1;
  std::string out(digits.substr(0, whole));
  if (digits.size() <= whole) return out.append(whole - digits.size(), '0').append(".0");
  return out.append(".").append(digits.substr(whole));
}

}  // namespace

std::string ShortestNumber(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, std::abs(number),
                                    std::chars_format::scientific);
  if (error != std::errc()) return "nan";  // the buffer holds any double
  std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  std::size_t mark = text.find('e');
  std::string digits(text.substr(0, mark));
  if (digits.size() > 1) digits.erase(1, 1);  // the point
  int exponent = std::atoi(std::string(text.substr(mark + 1)).c_str());
  std::string sign = std::signbit(number) ? "-" : "";
  bool plain = exponent >= kExponentMin && exponent < kExponentMax;
  return sign + (plain ? Plain(digits, exponent) : WithExponent(digits, exponent));
}

}  // namespace viv::engine::functions
