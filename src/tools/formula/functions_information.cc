// What kind of value something is. Errors are answers here, not failures.

#include <array>
#include <cmath>

#include "tools/formula/functions.h"

namespace viv::formula {
namespace {

template <typename Kind>
Operand Holds(Call& call) {
  return Flg(std::holds_alternative<Kind>(call.Any(0)));
}

Operand RunIsBlank(Call& call) {
  return Flg(call.Has(0) && IsBlank(call.Any(0)));
}

Operand RunIsError(Call& call, bool with_na, bool only_na) {
  Value value = call.Any(0);
  const auto* error = std::get_if<ErrorKind>(&value);
  bool is_na = error && *error == ErrorKind::kNotAvailable;
  return Flg(only_na ? is_na : error && (with_na || !is_na));
}

Operand RunParity(Call& call, bool odd) {
  Value value = call.Scalar(0);
  if (std::holds_alternative<bool>(value)) return Err(ErrorKind::kValue);
  double remainder = std::fmod(std::fabs(std::trunc(call.Number(0))), 2);
  return Flg((remainder != 0) == odd);
}

Operand RunType(Call& call) {
  const Operand& operand = call.Raw(0);
  if (const auto* array = std::get_if<Array>(&operand); array && array->cells.size() > 1)
    return Num(64);
  if (const Reference* reference = call.AsReference(0); reference && !(*reference)[0].IsCell())
    return Num(64);
  Value value = call.Any(0);
  if (std::holds_alternative<std::string>(value)) return Num(2);
  if (std::holds_alternative<bool>(value)) return Num(4);
  return Num(IsError(value) ? 16 : 1);
}

Operand RunErrorType(Call& call) {
  Value value = call.Any(0);
  const auto* error = std::get_if<ErrorKind>(&value);
  if (!error) return Err(ErrorKind::kNotAvailable);
  switch (*error) {
    case ErrorKind::kNull:
      return Num(1);
    case ErrorKind::kDivideByZero:
      return Num(2);
    case ErrorKind::kValue:
      return Num(3);
    case ErrorKind::kReference:
      return Num(4);
    case ErrorKind::kName:
      return Num(5);
    case ErrorKind::kNumber:
      return Num(6);
    case ErrorKind::kNotAvailable:
      return Num(7);
    case ErrorKind::kSpill:
      return Num(9);
    default:
      return Num(14);
  }
}

Operand RunIsFormula(Call& call) {
  const Reference* reference = call.AsReference(0);
  if (!reference) return Err(ErrorKind::kValue);
  const Area& area = (*reference)[0];
  const GridCell* cell =
      call.evaluator().grid().Find({area.sheet, area.first_row, area.first_column});
  return Flg(cell && !cell->formula.empty());
}

const std::array kInformationTable = {
    Function{"ISBLANK", "V", 1, 1, RunIsBlank},
    Function{"ISNUMBER", "V", 1, 1, Holds<double>},
    Function{"ISTEXT", "V", 1, 1, Holds<std::string>},
    Function{"ISNONTEXT", "V", 1, 1,
             [](Call& c) { return Flg(!std::holds_alternative<std::string>(c.Any(0))); }},
    Function{"ISLOGICAL", "V", 1, 1, Holds<bool>},
    Function{"ISERROR", "V", 1, 1, [](Call& c) { return RunIsError(c, true, false); }},
    Function{"ISERR", "V", 1, 1, [](Call& c) { return RunIsError(c, false, false); }},
    Function{"ISNA", "V", 1, 1, [](Call& c) { return RunIsError(c, true, true); }},
    Function{"ISREF", "R", 1, 1, [](Call& c) { return Flg(c.AsReference(0) != nullptr); }},
    Function{"ISFORMULA", "R", 1, 1, RunIsFormula},
    Function{"ISEVEN", "V", 1, 1, [](Call& c) { return RunParity(c, false); }},
    Function{"ISODD", "V", 1, 1, [](Call& c) { return RunParity(c, true); }},
    Function{"NA", "V", 0, 0, [](Call&) { return Err(ErrorKind::kNotAvailable); }},
    Function{"TYPE", "R", 1, 1, RunType},
    Function{"ERROR.TYPE", "V", 1, 1, RunErrorType},
};

}  // namespace

FunctionList InformationFunctions() {
  return kInformationTable;
}

}  // namespace viv::formula
