#pragma once
// What a cell holds or a formula yields: nothing, a number (dates are numbers of days since
// 1899-12-30), text, a truth value or an error.

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace viv::formula {

enum class ErrorKind {
  kNull,
  kDivideByZero,
  kValue,
  kReference,
  kName,
  kNumber,
  kNotAvailable,
  kSpill,
  kCalculation
};

std::string_view ErrorText(ErrorKind kind);  // "#DIV/0!"
std::optional<ErrorKind> FindErrorKind(std::string_view text);

struct Blank {
  bool operator==(const Blank&) const = default;
};

using Value = std::variant<Blank, double, std::string, bool, ErrorKind>;

inline bool IsBlank(const Value& value) {
  return std::holds_alternative<Blank>(value);
}
inline bool IsError(const Value& value) {
  return std::holds_alternative<ErrorKind>(value);
}

// As a cell of format General shows it: "0.1", "1E+20", "TRUE", "#N/A", "".
std::string ToText(const Value& value);

// A number as General shows it, in at most 15 digits.
std::string NumberText(double number);

}  // namespace viv::formula
