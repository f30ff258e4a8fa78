#include "engine/functions/functions.h"

#include <array>
#include <set>

#include "engine/functions/families.h"
#include "engine/functions/function.h"

namespace viv::engine {
namespace {

std::array<std::span<const functions::Function>, 12> AllFamilies() {
  using namespace functions;
  return {TimeFunctions(),      RruleFunctions(), RegexpFunctions(), TextFunctions(),
          HtmlFunctions(),      EmailFunctions(), DigestFunctions(), DiffFunctions(),
          CalculateFunctions(), JsonFunctions(),  CsvFunctions(),    SqliteTextFunctions()};
}

}  // namespace

Status RegisterFunctions(sqlite3* handle) {
  for (std::span<const functions::Function> family : AllFamilies()) {
    RETURN_IF_ERROR(functions::Register(handle, family));
  }
  return {};
}

Status RegisterTextFunctions(sqlite3* handle) {
  return functions::Register(handle, functions::SqliteTextFunctions());
}

bool IsEngineFunction(std::string_view name) {
  static const std::set<std::string_view> kNames = [] {
    std::set<std::string_view> names;
    for (std::span<const functions::Function> family : AllFamilies()) {
      for (const functions::Function& function : family) names.insert(function.name);
    }
    return names;
  }();
  return kNames.contains(name);
}

}  // namespace viv::engine
