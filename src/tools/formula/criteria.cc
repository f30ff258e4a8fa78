#include "tools/formula/criteria.h"

#include "base/text.h"
#include "tools/formula/convert.h"

namespace viv::formula {

Criterion::Criterion(const Value& condition) : operand_(condition) {
  const auto* text = std::get_if<std::string>(&condition);
  if (IsBlank(condition)) operand_ = 0.0;  // an empty cell as condition means 0
  if (!text) return;
  std::string_view rest = *text;
  auto take = [&](std::string_view sign, Test test) {
    if (had_sign_ || rest.substr(0, sign.size()) != sign) return;
    rest.remove_prefix(sign.size());
    test_ = test;
    had_sign_ = true;
  };
  take("<>", Test::kNotEqual);
  take("<=", Test::kLessOrEqual);
  take(">=", Test::kGreaterOrEqual);
  take("<", Test::kLess);
  take(">", Test::kGreater);
  take("=", Test::kEqual);
  if (std::optional<double> number = ParseNumberText(rest)) {
    operand_ = *number;
  } else if (EqualsIgnoreCase(rest, "TRUE") || EqualsIgnoreCase(rest, "FALSE")) {
    operand_ = EqualsIgnoreCase(rest, "TRUE");
  } else if (std::optional<ErrorKind> error = FindErrorKind(rest)) {
    operand_ = *error;
  } else {
    operand_ = std::string(rest);
    has_wildcard_ = (test_ == Test::kEqual || test_ == Test::kNotEqual) && HasWildcard(rest);
  }
}

bool Criterion::Equals(const Value& value) const {
  const auto* wanted = std::get_if<std::string>(&operand_);
  if (wanted && wanted->empty()) {
    const auto* text = std::get_if<std::string>(&value);
    return IsBlank(value) || (!had_sign_ && text && text->empty());
  }
  if (IsBlank(value)) return false;
  if (const auto* error = std::get_if<ErrorKind>(&operand_)) {
    const auto* given = std::get_if<ErrorKind>(&value);
    return given && *given == *error;
  }
  if (IsError(value)) return false;
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (wanted)
      return has_wildcard_ ? MatchesWildcard(*wanted, *text) : Compare(value, operand_) == 0;
    const auto* number = std::get_if<double>(&operand_);
    std::optional<double> read = number ? ParseNumberText(*text) : std::nullopt;
    return read && *read == *number;  // a number stored as text counts as that number
  }
  return value.index() == operand_.index() && Compare(value, operand_) == 0;
}

bool Criterion::Accepts(const Value& value) const {
  if (test_ == Test::kEqual) return Equals(value);
  if (test_ == Test::kNotEqual) return !Equals(value);
  if (value.index() != operand_.index() || IsError(value)) return false;
  int order = Compare(value, operand_);
  switch (test_) {
    case Test::kLess:
      return order < 0;
    case Test::kLessOrEqual:
      return order <= 0;
    case Test::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

}  // namespace viv::formula
