#include "engine/query/terms_value.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace viv::engine::query {
namespace {

tl::unexpected<Error> RefuseTerm(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

Condition AtOrAfter(const Field& field, std::int64_t ms) {
  return Condition::Test(field, Operator::kGreaterEqual, Instant{ms});
}

Condition Before(const Field& field, std::int64_t ms) {
  return Condition::Test(field, Operator::kLess, Instant{ms});
}

Condition Within(const Field& field, Period period) {
  return Condition::All({AtOrAfter(field, period.start_ms), Before(field, period.end_ms)});
}

// 7d, 2m, 1y: m is months here, as in Gmail.
std::optional<Span> ReadAge(std::string_view text) {
  if (text.empty()) return std::nullopt;
  auto count = ReadCount(text.substr(0, text.size() - 1));
  if (!count) return std::nullopt;
  switch (absl::ascii_tolower(static_cast<unsigned char>(text.back()))) {
    case 'h':
      return Span{-*count, Unit::kHour};
    case 'd':
      return Span{-*count, Unit::kDay};
    case 'w':
      return Span{-*count, Unit::kWeek};
    case 'm':
      return Span{-*count, Unit::kMonth};
    case 'y':
      return Span{-*count, Unit::kYear};
    default:
      return std::nullopt;
  }
}

std::optional<double> ReadNumber(std::string_view text) {
  double number = 0;
  bool is_number = absl::SimpleAtod({text.data(), text.size()}, &number) && std::isfinite(number);
  return is_number ? std::optional(number) : std::nullopt;
}

// 5M, 10k, 1G or plain bytes.
std::optional<double> ReadSize(std::string_view text) {
  if (text.empty()) return std::nullopt;
  constexpr std::string_view kUnits = "kmg";
  std::size_t unit = kUnits.find(absl::ascii_tolower(static_cast<unsigned char>(text.back())));
  if (unit == kUnits.npos) return ReadNumber(text);
  auto number = ReadNumber(text.substr(0, text.size() - 1));
  if (!number) return std::nullopt;
  return *number * std::pow(1024.0, static_cast<double>(unit) + 1);
}

// The side of a range or comparison, as conditions of a number or a date.
class Bounds {
 public:
  Bounds(const Field& field, const Calendar& calendar) : field_(field), calendar_(calendar) {}

  Result<Condition> Compare(Operator op, std::string_view text) const {
    if (field_.type != FieldType::kDate) {
      auto number = ReadNumber(text);
      if (!number) return RefuseTerm(fmt::format("\"{}\" is not a number.", text));
      return Condition::Test(field_, op, *number);
    }
    auto period = calendar_.ReadLooseDate(text);
    if (!period)
      return RefuseTerm(fmt::format("\"{}\" is not a recognized date/time format.", text));
    switch (op) {
      case Operator::kLess:
        return Before(field_, period->start_ms);
      case Operator::kLessEqual:
        return Before(field_, period->end_ms);
      case Operator::kGreater:
        return AtOrAfter(field_, period->end_ms);
      case Operator::kGreaterEqual:
        return AtOrAfter(field_, period->start_ms);
      default:
        return Within(field_, *period);
    }
  }

  // 10..50, *..5, >=3, <2025-01-31 or a bare value.
  Result<Condition> Range(std::string_view text) const {
    if (std::size_t dots = text.find(".."); dots != text.npos) {
      return Between(text.substr(0, dots), text.substr(dots + 2));
    }
    constexpr std::array<std::pair<std::string_view, Operator>, 5> kPrefixes = {{
        {">=", Operator::kGreaterEqual},
        {"<=", Operator::kLessEqual},
        {">", Operator::kGreater},
        {"<", Operator::kLess},
        {"=", Operator::kEquals},
    }};
    for (const auto& [prefix, op] : kPrefixes) {
      if (text.starts_with(prefix)) return Compare(op, text.substr(prefix.size()));
    }
    return Compare(Operator::kEquals, text);
  }

 private:
  Result<Condition> Between(std::string_view low, std::string_view high) const {
    std::vector<Condition> sides;
    if (low != "*" && !low.empty()) {
      ASSIGN_OR_RETURN(Condition from, Compare(Operator::kGreaterEqual, low));
      sides.push_back(std::move(from));
    }
    if (high != "*" && !high.empty()) {
      ASSIGN_OR_RETURN(Condition to, Compare(Operator::kLessEqual, high));
      sides.push_back(std::move(to));
    }
    return Condition::All(std::move(sides));
  }

  const Field& field_;
  const Calendar& calendar_;
};

Result<Condition> ReadByAge(const Field& field, std::string_view text, const Calendar& calendar) {
  auto age = ReadAge(text);
  if (!age) return RefuseTerm(fmt::format("\"{}\" is not an age such as 7d, 2m or 1y.", text));
  std::int64_t ms = calendar.Shift(calendar.now_ms(), *age);
  return field.compare == Compare::kOlderThan ? Before(field, ms) : AtOrAfter(field, ms);
}

Result<Condition> ReadBySize(const Field& field, std::string_view text) {
  auto size = ReadSize(text);
  if (!size) return RefuseTerm(fmt::format("\"{}\" is not a size such as 500, 10K or 5M.", text));
  bool larger = field.compare == Compare::kLarger;
  return Condition::Test(field, larger ? Operator::kGreaterEqual : Operator::kLess, *size);
}

Result<Condition> ReadPlain(const Field& field, const TermValue& value, const Target& target) {
  std::string text(value.text);
  bool only_contains = field.sql.empty() && field.match.empty();
  if (only_contains && !field.contains.empty()) {
    return Condition::Test(field, Operator::kContains, std::move(text));
  }
  if (only_contains && target.strict) {
    std::vector<std::string> names;
    for (const auto& named : field.values) names.push_back(named.first);
    return RefuseTerm(fmt::format("\"{}\" is not a value of {}:, which takes {}.", text, value.key,
                                  JoinWithOr(names)));
  }
  if (only_contains) return Condition::Any();
  if (field.type != FieldType::kBoolean) {
    return Condition::Test(field, Operator::kEquals, std::move(text));
  }
  bool yes = EqualsIgnoreCase(text, "true") || EqualsIgnoreCase(text, "yes");
  bool no = EqualsIgnoreCase(text, "false") || EqualsIgnoreCase(text, "no");
  if (!yes && !no) return RefuseTerm(fmt::format("\"{}\" is neither true nor false.", text));
  return Condition::Test(field, Operator::kEquals, yes);
}

Result<Condition> ReadByCompare(const Field& field,
                                const TermValue& value,
                                const Target& target,
                                const Calendar& calendar) {
  Bounds bounds(field, calendar);
  switch (field.compare) {
    case Compare::kContains:
      return Condition::Test(field, Operator::kContains, std::string(value.text));
    case Compare::kRange:
      return bounds.Range(value.text);
    case Compare::kAfter:
      return bounds.Compare(Operator::kGreater, value.text);
    case Compare::kSince:
      return bounds.Compare(Operator::kGreaterEqual, value.text);
    case Compare::kBefore:
      return bounds.Compare(Operator::kLess, value.text);
    case Compare::kUntil:
      return bounds.Compare(Operator::kLessEqual, value.text);
    case Compare::kOn:
      return bounds.Compare(Operator::kEquals, value.text);
    case Compare::kOlderThan:
    case Compare::kNewerThan:
      return ReadByAge(field, value.text, calendar);
    case Compare::kLarger:
    case Compare::kSmaller:
      return ReadBySize(field, value.text);
    case Compare::kDefault:
      break;
  }
  bool ordered = field.type == FieldType::kNumber || field.type == FieldType::kDate;
  if (ordered && !field.sql.empty()) return bounds.Range(value.text);
  return ReadPlain(field, value, target);
}

Result<Condition> ReadOne(const Field& field,
                          TermValue value,
                          const Target& target,
                          const Calendar& calendar) {
  const std::string* named = FindNamed(field, value.text);
  if (named == nullptr && value.text.size() > 1 && !field.strip.empty() &&
      field.strip.find(value.text.front()) != field.strip.npos) {
    value.text.remove_prefix(1);
    named = FindNamed(field, value.text);
  }
  if (named != nullptr) return Condition::Test(field, Operator::kEquals, Named{named});
  return ReadByCompare(field, value, target, calendar);
}

}  // namespace

Result<Condition> ReadTermValue(const Field& field,
                                const TermValue& value,
                                const Target& target,
                                const Calendar& calendar,
                                TermBudget& budget) {
  bool is_list = !field.separator.empty() && !value.quoted &&
                 value.text.find(field.separator[0]) != value.text.npos;
  if (!is_list) {
    RETURN_IF_ERROR(budget.Take());
    return ReadOne(field, value, target, calendar);
  }
  std::vector<Condition> alternatives;
  for (std::string_view part : Split(value.text, field.separator[0])) {
    if (part.empty()) continue;
    RETURN_IF_ERROR(budget.Take());
    ASSIGN_OR_RETURN(Condition one, ReadOne(field, {value.key, part}, target, calendar));
    alternatives.push_back(std::move(one));
  }
  return Condition::Any(std::move(alternatives));
}

}  // namespace viv::engine::query
