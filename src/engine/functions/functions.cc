#include "engine/functions/functions.h"

#include "engine/functions/families.h"
#include "engine/functions/function.h"

namespace viv::engine {

Status RegisterFunctions(sqlite3* handle) {
  using namespace functions;
  for (std::span<const Function> family :
       {TimeFunctions(), RruleFunctions(), RegexpFunctions(), TextFunctions(), HtmlFunctions(),
        EmailFunctions(), DigestFunctions(), DiffFunctions(), CalculateFunctions(), JsonFunctions(),
        CsvFunctions()}) {
    RETURN_IF_ERROR(Register(handle, family));
  }
  return {};
}

}  // namespace viv::engine
