#pragma once
// What names mean to the calculator: the constants and functions of Python's math module and the
// built-in functions that work on numbers.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "engine/functions/number.h"

namespace viv::engine::functions {

struct Operand;

struct Sequence {
  enum class Kind { kList, kTuple } kind = Kind::kList;
  std::vector<Operand> items;
};

// What an expression is worth. A bool is a number too, but prints as True or False.
struct Operand {
  std::variant<bool, Number, Sequence> value;
};

using Operands = std::vector<Operand>;

std::string OperandText(const Operand& operand);
std::string_view TypeName(const Operand& operand);  // int, float, bool, list, tuple

// The number of an int, float or bool; nothing for a list.
std::optional<Number> NumberOf(const Operand& operand);

std::optional<Operand> FindConstant(std::string_view name);
bool HasFunction(std::string_view name);
bool IsBuiltin(std::string_view name);  // abs and the like, which are not in the math module

// HasFunction(name) must hold.
Result<Operand> CallFunction(std::string_view name, const Operands& arguments);

}  // namespace viv::engine::functions
