// The database functions: a table with headers, a column of it, and a table of conditions whose
// rows are alternatives.

#include <array>

#include "base/text.h"
#include "tools/formula/criteria.h"
#include "tools/formula/functions.h"
#include "tools/formula/summary.h"

namespace viv::formula {
namespace {

int FindField(const Array& table, const Value& field) {
  if (const auto* number = std::get_if<double>(&field)) {
    int column = ToInt(*number) - 1;
    return column >= 0 && column < table.columns ? column : -1;
  }
  for (int column = 0; column < table.columns; ++column)
    if (EqualsIgnoreCase(ToText(table.At(0, column)), ToText(field))) return column;
  return -1;
}

bool MeetsRow(Call& call, const Array& table, int row, const Array& conditions, int alternative) {
  for (int i = 0; i < conditions.columns; ++i) {
    const Value& condition = conditions.At(alternative, i);
    if (IsBlank(condition)) continue;
    int column = FindField(table, ToText(conditions.At(0, i)));
    if (!call.evaluator().Charge(1)) return false;
    if (column >= 0 && !Criterion(condition).Accepts(table.At(row, column))) return false;
  }
  return true;
}

// The column's values in the rows that meet the conditions.
std::vector<Value> Records(Call& call) {
  std::vector<Value> out;
  Array table = call.Matrix(0), conditions = call.Matrix(2);
  if (call.evaluator().halted()) return out;
  int field = call.Has(1) ? FindField(table, call.Scalar(1)) : 0;
  if (field < 0) call.Fail(ErrorKind::kValue);
  if (call.error()) return out;
  for (int row = 1; row < table.rows; ++row) {
    bool meets = false;
    for (int alternative = 1; alternative < conditions.rows && !meets; ++alternative)
      meets = MeetsRow(call, table, row, conditions, alternative);
    if (meets) out.push_back(table.At(row, field));
    if (call.evaluator().halted()) break;
  }
  return out;
}

NumberList RecordNumbers(Call& call) {
  NumberList out;
  for (const Value& value : Records(call)) {
    if (const auto* number = std::get_if<double>(&value)) out.push_back(*number);
    if (const auto* error = std::get_if<ErrorKind>(&value)) call.Fail(*error);
  }
  return out;
}

Operand RunDget(Call& call) {
  std::vector<Value> records = Records(call);
  if (records.empty()) return Err(ErrorKind::kValue);
  return records.size() > 1 ? Err(ErrorKind::kNumber) : Operand(records[0]);
}

Operand RunDcountA(Call& call) {
  double count = 0;
  for (const Value& value : Records(call)) count += IsBlank(value) ? 0 : 1;
  return Num(count);
}

const std::array kDatabaseTable = {
    Function{"DSUM", "RVR", 3, 3, [](Call& c) { return Num(SumOf(RecordNumbers(c))); }},
    Function{"DAVERAGE", "RVR", 3, 3, [](Call& c) { return Operand(AverageOf(RecordNumbers(c))); }},
    Function{"DCOUNT", "RVR", 3, 3,
             [](Call& c) { return Num(static_cast<double>(RecordNumbers(c).size())); }},
    Function{"DCOUNTA", "RVR", 3, 3, RunDcountA},
    Function{"DMAX", "RVR", 3, 3, [](Call& c) { return Operand(MaxOf(RecordNumbers(c))); }},
    Function{"DMIN", "RVR", 3, 3, [](Call& c) { return Operand(MinOf(RecordNumbers(c))); }},
    Function{"DPRODUCT", "RVR", 3, 3, [](Call& c) { return Operand(ProductOf(RecordNumbers(c))); }},
    Function{"DSTDEV", "RVR", 3, 3,
             [](Call& c) { return Operand(DeviationOf(RecordNumbers(c), 1)); }},
    Function{"DSTDEVP", "RVR", 3, 3,
             [](Call& c) { return Operand(DeviationOf(RecordNumbers(c), 0)); }},
    Function{"DVAR", "RVR", 3, 3, [](Call& c) { return Operand(VarianceOf(RecordNumbers(c), 1)); }},
    Function{"DVARP", "RVR", 3, 3,
             [](Call& c) { return Operand(VarianceOf(RecordNumbers(c), 0)); }},
    Function{"DGET", "RVR", 3, 3, RunDget},
};

}  // namespace

FunctionList DatabaseFunctions() {
  return kDatabaseTable;
}

}  // namespace viv::formula
