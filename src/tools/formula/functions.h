#pragma once
// The functions by subject; each file below lists its own in a table. Whoever adds a file adds it
// here and in registry.cc.

#include <span>
#include <string>
#include <utility>

#include "tools/formula/call.h"
#include "tools/formula/convert.h"

namespace viv::formula {

using FunctionList = std::span<const Function>;

FunctionList MathFunctions();
FunctionList TrigonometryFunctions();
FunctionList EngineeringFunctions();
FunctionList SumFunctions();
FunctionList ConditionFunctions();
FunctionList DatabaseFunctions();
FunctionList StatisticsFunctions();
FunctionList RankFunctions();
FunctionList RegressionFunctions();
FunctionList DistributionFunctions();
FunctionList LogicFunctions();
FunctionList TextFunctions();
FunctionList TextPartFunctions();
FunctionList DateFunctions();
FunctionList WorkdayFunctions();
FunctionList LookupFunctions();
FunctionList ReferenceFunctions();
FunctionList ArrayFunctions();
FunctionList MatrixFunctions();
FunctionList FinanceFunctions();
FunctionList CashFlowFunctions();
FunctionList InformationFunctions();

inline Operand Num(double number) {
  return Value(number);
}
inline Operand Txt(std::string text) {
  return Value(std::move(text));
}
inline Operand Flg(bool flag) {
  return Value(flag);
}
inline Operand Err(ErrorKind kind) {
  return Value(kind);
}

}  // namespace viv::formula
