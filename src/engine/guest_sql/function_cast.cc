// Casts, and what every value passes on its way into a column.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "base/text.h"
#include "engine/guest_sql/function.h"
#include "engine/guest_sql/moment.h"
#include "engine/guest_sql/numbers.h"
#include "engine/guest_sql/types.h"

namespace viv::engine::guest_sql {
namespace {

tl::unexpected<Error> NotRecognized(std::string_view code,
                                    std::string_view what,
                                    std::string_view text) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: {} '{}' is not recognized", code, what, text));
}

std::string Shown(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : NumberText(value);
}

Result<Value> CastNumber(const Value& value, int scale) {
  Value number = value;
  if (const auto* text = std::get_if<std::string>(&value)) {
    auto parsed = ParseNumber(*text);
    if (!parsed) return NotRecognized("100038 (22018)", "Numeric value", *text);
    number = *parsed;
  }
  return WithScale(number, scale);
}

Result<Value> CastBoolean(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return Value(std::int64_t{RealOf(value) != 0});
  const std::string word = ToLower(Trim(*text));
  for (std::string_view yes : {"true", "t", "yes", "y", "on", "1"}) {
    if (word == yes) return Value(std::int64_t{1});
  }
  for (std::string_view no : {"false", "f", "no", "n", "off", "0"}) {
    if (word == no) return Value(std::int64_t{0});
  }
  return NotRecognized("100037 (22018)", "Boolean value", *text);
}

std::optional<Moment> MomentOf(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return MomentOfEpoch(RealOf(value));
  if (!text->empty() && text->size() < 20 && text->find_first_not_of("0123456789") == text->npos) {
    return MomentOfEpoch(RealOf(value));
  }
  return ParseMoment(*text);
}

Result<Value> CastMoment(const Value& value, Kind kind) {
  auto moment = MomentOf(value);
  if (kind == Kind::kTime) {
    const auto* text = std::get_if<std::string>(&value);
    auto time = text != nullptr ? ParseTimeOfDay(*text) : std::nullopt;
    if (time) return Value(TimeText(*time));
    if (moment) return Value(TimeText(moment->micros_of_day()));
    return NotRecognized("100108 (22007)", "Time", Shown(value));
  }
  if (!moment && kind == Kind::kDate) return NotRecognized("100040 (22007)", "Date", Shown(value));
  if (!moment) return NotRecognized("100035 (22007)", "Timestamp", Shown(value));
  return Value(MomentText({moment->micros, kind == Kind::kDate}));
}

Result<Value> CastTo(const Value& value, Kind kind, int scale) {
  switch (kind) {
    case Kind::kNumber:
      return CastNumber(value, scale);
    case Kind::kFloat: {
      ASSIGN_OR_RETURN(Value number, CastNumber(value, -1));
      return Value(RealOf(number));
    }
    case Kind::kText:
      return Value(Shown(value));
    case Kind::kBoolean:
      return CastBoolean(value);
    case Kind::kDate:
    case Kind::kTime:
    case Kind::kTimestamp:
      return CastMoment(value, kind);
    default:
      return value;
  }
}

Kind KindAt(const Arguments& a, std::size_t index) {
  std::string_view code = a.Text(index);
  return code.empty() ? Kind::kUnknown : static_cast<Kind>(code[0]);
}

// (value, kind, size, scale)
Result<Value> Cast(const Arguments& a) {
  return CastTo(a.At(0), KindAt(a, 1), static_cast<int>(a.Integer(3)));
}

Result<Value> TryCast(const Arguments& a) {
  auto value = Cast(a);
  return value ? value : Result<Value>(NullValue());
}

// (value, kind, size, scale, nullable, column)
Result<Value> Store(const Arguments& a) {
  if (a.IsNull(0)) {
    if (a.Integer(4) != 0) return NullValue();
    return Fail(ErrorCode::kInvalidArgument,
                "100072 (22000): NULL result in a non-nullable column");
  }
  const Kind kind = KindAt(a, 1);
  ASSIGN_OR_RETURN(Value value, CastTo(a.At(0), kind, static_cast<int>(a.Integer(3))));
  const std::int64_t size = a.Integer(2);
  if (kind == Kind::kText && size > 0) {
    const auto& text = std::get<std::string>(value);
    std::int64_t characters = 0;
    for (char c : text) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    if (characters > size) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("100078 (22000): String '{}' is too long and would be truncated",
                              text.substr(0, 200)));
    }
  }
  const int scale = static_cast<int>(a.Integer(3));
  if (kind == Kind::kNumber &&
      std::fabs(RealOf(value)) >= std::pow(10.0, static_cast<double>(size - scale))) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("100132 (22003): Numeric value '{}' is out of range", NumberText(value)));
  }
  return value;
}

constexpr Function kCastFunctions[] = {
    {"g$cast", Cast, 4, 4},
    {"g$try_cast", TryCast, 4, 4},
    {"g$store", Store, 6, 6, NullHandling::kPassToBody},
};

}  // namespace

std::span<const Function> CastFunctions() {
  return kCastFunctions;
}

}  // namespace viv::engine::guest_sql
