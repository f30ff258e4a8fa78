#include "tools/formula/fraction_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace viv::formula {
namespace {

bool IsPlaceholder(char c) {
  return c == '?' || c == '#' || c == '0';
}

struct Fraction {
  long long numerator = 0, denominator = 1;
};

// The fraction nearest to `part` whose denominator is not larger than given.
Fraction Nearest(double part, long long denominator_max) {
  Fraction best;
  double error = 2;
  for (long long denominator = 1; denominator <= denominator_max; ++denominator) {
    long long numerator = std::llround(part * static_cast<double>(denominator));
    double off =
        std::fabs(part - static_cast<double>(numerator) / static_cast<double>(denominator));
    if (off >= error - 1e-12) continue;
    error = off;
    best = {numerator, denominator};
    if (off < 1e-12) break;
  }
  return best;
}

}  // namespace

bool IsFractionFormat(std::string_view section) {
  std::size_t slash = section.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < section.size() &&
         IsPlaceholder(section[slash - 1]) &&
         (IsPlaceholder(section[slash + 1]) ||
          (section[slash + 1] >= '1' && section[slash + 1] <= '9'));
}

std::string FormatFraction(double number, std::string_view section) {
  std::size_t slash = section.find('/');
  std::size_t begin = slash, end = slash + 1;
  while (begin > 0 && IsPlaceholder(section[begin - 1])) --begin;
  while (end < section.size() &&
         (IsPlaceholder(section[end]) || (section[end] >= '1' && section[end] <= '9')))
    ++end;
  std::string_view below = section.substr(slash + 1, std::min<std::size_t>(end - slash - 1, 4));
  bool has_whole =
      std::any_of(section.begin(), section.begin() + static_cast<std::ptrdiff_t>(begin),
                  [](char c) { return IsPlaceholder(c); });
  double whole = has_whole ? std::floor(number) : 0;
  if (number > 1e9) return fmt::format("{:.0f}", number);
  double part = number - whole;
  Fraction fraction;
  bool fixed = below.find_first_of("123456789") != std::string_view::npos &&
               below.find_first_of("?#") == std::string_view::npos;
  if (fixed) {
    fraction.denominator = std::stoll(std::string(below));
    fraction.numerator = std::llround(part * static_cast<double>(fraction.denominator));
  } else {
    fraction = Nearest(
        part, static_cast<long long>(std::pow(10.0, static_cast<double>(below.size()))) - 1);
  }
  if (has_whole && fraction.numerator == fraction.denominator) {
    whole += 1;
    fraction.numerator = 0;
  }
  if (has_whole && fraction.numerator == 0) {
    std::size_t width = (slash - begin) + 1 + below.size();
    return fmt::format("{:.0f}{}", whole, std::string(width + 1, ' '));
  }
  std::string shown = fmt::format("{:>{}}/{:<{}}", fraction.numerator, slash - begin,
                                  fraction.denominator, below.size());
  if (!has_whole) return shown;
  bool hides_zero = section.find('0') >= begin && whole == 0;
  return hides_zero ? " " + shown : fmt::format("{:.0f} {}", whole, shown);
}

}  // namespace viv::formula
