// The calculator as an SQL function. Its result is text, since that is what Python prints.

#include "engine/functions/calculator.h"
#include "engine/functions/families.h"

namespace viv::engine::functions {
namespace {

Result<Value> CalculateFunction(const Arguments& arguments) {
  ASSIGN_OR_RETURN(std::string text, Calculate(arguments.Text(0)));
  return text;
}

}  // namespace

std::span<const Function> CalculateFunctions() {
  static constexpr Function kFunctions[] = {{"calculate", 1, 1, CalculateFunction}};
  return kFunctions;
}

}  // namespace viv::engine::functions
