#include <unordered_map>

#include "tools/formula/functions.h"

namespace viv::formula {
namespace {

using FunctionMap = std::unordered_map<std::string_view, const Function*>;

const FunctionMap& AllFunctions() {
  static const FunctionMap kFunctions = [] {
    FunctionMap map;
    for (FunctionList list :
         {MathFunctions(),         TrigonometryFunctions(), EngineeringFunctions(),
          SumFunctions(),          ConditionFunctions(),    DatabaseFunctions(),
          StatisticsFunctions(),   RankFunctions(),         RegressionFunctions(),
          DistributionFunctions(), LogicFunctions(),        TextFunctions(),
          TextPartFunctions(),     DateFunctions(),         WorkdayFunctions(),
          LookupFunctions(),       ReferenceFunctions(),    ArrayFunctions(),
          MatrixFunctions(),       FinanceFunctions(),      CashFlowFunctions(),
          InformationFunctions()})
      for (const Function& function : list) map.emplace(function.name, &function);
    return map;
  }();
  return kFunctions;
}

}  // namespace

const Function* FindFunction(std::string_view name) {
  auto found = AllFunctions().find(name);
  return found == AllFunctions().end() ? nullptr : found->second;
}

std::size_t FunctionCount() {
  return AllFunctions().size();
}

}  // namespace viv::formula
