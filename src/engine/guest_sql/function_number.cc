#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>

#include "base/text.h"
#include "engine/guest_sql/function.h"
#include "engine/guest_sql/numbers.h"

namespace viv::engine::guest_sql {
namespace {

constexpr double kIntegerMax = 9.2e18;  // what a double may be to become an integer safely

tl::unexpected<Error> DivisionByZero() {
  return Fail(ErrorCode::kInvalidArgument, "100051 (22012): Division by zero");
}

tl::unexpected<Error> NotNumeric(std::string_view text) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("100038 (22018): Numeric value '{}' is not recognized", text));
}

Result<Value> NumericArgument(const Arguments& a, std::size_t index) {
  if (!a.IsText(index)) return a.At(index);
  auto number = ParseNumber(a.Text(index));
  if (!number) return NotNumeric(a.Text(index));
  return *number;
}

int Digits(std::int64_t wanted) {
  return static_cast<int>(std::clamp<std::int64_t>(wanted, -38, 38));
}

Result<Value> ToNumber(const Arguments& a) {
  return NumericArgument(a, 0);
}

// (a, b, scale): the scale of the quotient, -1 for a floating one.
Result<Value> Div(const Arguments& a) {
  if (a.Real(1) == 0) return DivisionByZero();
  const double quotient = a.Real(0) / a.Real(1);
  const std::int64_t scale = a.Integer(2);
  return Value(scale < 0 ? quotient : RoundTo(quotient, Digits(scale)));
}

Result<Value> Div0(const Arguments& a) {
  if (a.Real(1) == 0) return a.size() > 2 ? NullValue() : Value(std::int64_t{0});
  return Value(a.Real(0) / a.Real(1));
}

Result<Value> Mod(const Arguments& a) {
  if (a.Real(1) == 0) return DivisionByZero();
  if (a.IsInteger(0) && a.IsInteger(1)) {
    if (a.Integer(1) == -1) return Value(std::int64_t{0});
    return Value(a.Integer(0) % a.Integer(1));
  }
  return Value(std::fmod(a.Real(0), a.Real(1)));
}

Result<Value> WithDigits(const Arguments& a, const std::function<double(double)>& round) {
  ASSIGN_OR_RETURN(Value number, NumericArgument(a, 0));
  const int digits = Digits(a.IntegerOr(1, 0));
  if (std::holds_alternative<std::int64_t>(number) && digits >= 0) return number;
  const double scale = std::pow(10.0, digits);
  // Just above and below, as 1.1 * 10 is a little more than 11.
  const double scaled = RealOf(number) * scale;
  const double nearest = std::round(scaled);
  const bool whole = std::fabs(scaled - nearest) < 1e-9 * std::max(1.0, std::fabs(scaled));
  const double rounded = (whole ? nearest : round(scaled)) / scale;
  if (digits <= 0 && std::fabs(rounded) < kIntegerMax)
    return Value(static_cast<std::int64_t>(rounded));
  return Value(rounded);
}

Result<Value> Round(const Arguments& a) {
  ASSIGN_OR_RETURN(Value number, NumericArgument(a, 0));
  const int digits = Digits(a.IntegerOr(1, 0));
  if (std::holds_alternative<std::int64_t>(number) && digits >= 0) return number;
  const double rounded = RoundTo(RealOf(number), digits);
  if (digits <= 0 && std::fabs(rounded) < kIntegerMax)
    return Value(static_cast<std::int64_t>(rounded));
  return Value(rounded);
}

Result<Value> Ceil(const Arguments& a) {
  return WithDigits(a, [](double value) { return std::ceil(value); });
}

Result<Value> Floor(const Arguments& a) {
  return WithDigits(a, [](double value) { return std::floor(value); });
}

Result<Value> Trunc(const Arguments& a) {
  return WithDigits(a, [](double value) { return std::trunc(value); });
}

Result<Value> Cbrt(const Arguments& a) {
  return Value(std::cbrt(a.Real(0)));
}

Result<Value> Greatest(const Arguments& a) {
  Value best = a.At(0);
  for (std::size_t i = 1; i < a.size(); ++i) {
    if (CompareValues(a.At(i), best) > 0) best = a.At(i);
  }
  return best;
}

Result<Value> Least(const Arguments& a) {
  Value best = a.At(0);
  for (std::size_t i = 1; i < a.size(); ++i) {
    if (CompareValues(a.At(i), best) < 0) best = a.At(i);
  }
  return best;
}

Result<Value> WidthBucket(const Arguments& a) {
  const double low = a.Real(1);
  const double high = a.Real(2);
  const std::int64_t buckets = a.Integer(3);
  if (buckets < 1 || buckets > 1'000'000 || !(low < high)) {
    return Fail(ErrorCode::kInvalidArgument,
                "100144 (22023): Invalid argument for function [WIDTH_BUCKET]");
  }
  if (a.Real(0) < low) return Value(std::int64_t{0});
  if (a.Real(0) >= high) return Value(buckets + 1);
  return Value(
      static_cast<std::int64_t>((a.Real(0) - low) / (high - low) * static_cast<double>(buckets)) +
      1);
}

Result<Value> Hash(const Arguments& a) {
  std::uint64_t hash = 1469598103934665603U;  // FNV-1a
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (char c : a.Text(i)) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    hash = (hash ^ 0xFF) * 1099511628211U;
  }
  return Value(static_cast<std::int64_t>(hash));
}

Result<Value> Fixed(const Arguments& a) {
  return Value(FixedText(a.Real(0), Digits(std::max<std::int64_t>(a.Integer(1), 0))));
}

Result<Value> ToText(const Arguments& a) {
  return Value(a.IsText(0) ? std::string(a.Text(0)) : NumberText(a.At(0)));
}

// TO_CHAR of a number: 9, 0, commas, the point, $ and FM.
Result<Value> NumberToChar(const Arguments& a) {
  std::string_view format = a.Text(1);
  const bool fill = format.starts_with("FM") || format.starts_with("fm");
  if (fill) format.remove_prefix(2);
  if (format.empty() || format.size() > 64 || format.find_first_not_of("90,.$") != format.npos) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("100094 (22000): Invalid numeric format '{}'", a.Text(1)));
  }
  const std::size_t point = std::min(format.find('.'), format.size());
  auto places = [](std::string_view part) {
    return static_cast<int>(
        std::count_if(part.begin(), part.end(), [](char c) { return c == '9' || c == '0'; }));
  };
  std::string text = FixedText(std::fabs(a.Real(0)), places(format.substr(point)));
  std::string whole = text.substr(0, text.find('.'));
  if (whole == "0" && format.substr(0, point).find('0') == format.npos) whole.clear();
  std::string out;
  for (std::size_t i = point; i-- > 0;) {
    const char c = format[i];
    if (c == ',') {
      out += whole.empty() && format.substr(0, i).find('0') == format.npos ? ' ' : ',';
    } else if (c != '$') {
      out += !whole.empty() ? whole.back() : c == '0' ? '0' : ' ';
      if (!whole.empty()) whole.pop_back();
    }
  }
  if (!whole.empty()) return Value(std::string(format.size(), '#'));
  std::reverse(out.begin(), out.end());
  const std::size_t first = std::min(out.find_first_not_of(' '), out.size());
  std::string sign = a.Real(0) < 0 ? "-" : fill ? "" : " ";
  if (format.find('$') != format.npos) sign += '$';
  out.insert(first, sign);
  if (text.find('.') != text.npos) out += text.substr(text.find('.'));
  return Value(fill ? std::string(Trim(out)) : out);
}

constexpr Function kNumberFunctions[] = {
    {"g$number", ToNumber, 1, 1},
    {"g$div", Div, 3, 3},
    {"g$div0", Div0, 2, 3},
    {"g$mod", Mod, 2, 2},
    {"g$round", Round, 1, 2},
    {"g$ceil", Ceil, 1, 2},
    {"g$floor", Floor, 1, 2},
    {"g$trunc", Trunc, 1, 2},
    {"g$cbrt", Cbrt, 1, 1},
    {"g$greatest", Greatest, 1, kMany},
    {"g$least", Least, 1, kMany},
    {"g$width_bucket", WidthBucket, 4, 4},
    {"g$hash", Hash, 1, kMany, NullHandling::kPassToBody},
    {"g$fixed", Fixed, 2, 2},
    {"g$text", ToText, 1, 1},
    {"g$number_to_char", NumberToChar, 2, 2},
};

}  // namespace

double RoundTo(double value, int digits) {
  const double scale = std::pow(10.0, digits);
  const double scaled = value * scale;
  if (!std::isfinite(scaled)) return value;
  // 1.005 is a little less than it looks; what is within a few bits of a half is one.
  const double away = std::copysign(std::fabs(scaled) * 4e-16, scaled);
  return std::round(scaled + away) / scale;
}

std::optional<Value> ParseNumber(std::string_view text) {
  text = Trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.size() > 400 ||
      !(text[0] == '-' || text[0] == '.' || (text[0] >= '0' && text[0] <= '9'))) {
    return std::nullopt;
  }
  std::int64_t integer = 0;
  auto whole = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (whole.ec == std::errc() && whole.ptr == text.data() + text.size()) return Value(integer);
  double real = 0;
  auto rest = std::from_chars(text.data(), text.data() + text.size(), real);
  if (rest.ec != std::errc() || rest.ptr != text.data() + text.size() || !std::isfinite(real))
    return std::nullopt;
  return Value(real);
}

Value WithScale(const Value& number, int scale) {
  const auto* real = std::get_if<double>(&number);
  if (real == nullptr || scale < 0) return number;
  const double rounded = RoundTo(*real, scale);
  if (scale == 0 && std::fabs(rounded) < kIntegerMax)
    return Value(static_cast<std::int64_t>(rounded));
  return Value(rounded);
}

std::string NumberText(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  const auto* real = std::get_if<double>(&value);
  if (real == nullptr) return {};
  if (*real == std::floor(*real) && std::fabs(*real) < 1e15) return fmt::format("{:.0f}", *real);
  return fmt::format("{}", *real);
}

std::string FixedText(double value, int digits) {
  return fmt::format("{:.{}f}", RoundTo(value, digits), digits);
}

std::span<const Function> NumberFunctions() {
  return kNumberFunctions;
}

}  // namespace viv::engine::guest_sql
