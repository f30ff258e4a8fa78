#pragma once
// Arguments checked as FastMCP does it with pydantic: what can sensibly be read as the wanted type
// is converted ("5" becomes 5, "yes" true, and the text of a list or an object that value), and
// every mistake is reported at once.

#include <string>
#include <string_view>

#include "base/json.h"

namespace viv::tools {

// Converts in place. Empty when the arguments fit; otherwise the text of pydantic's exception,
// "1 validation error for toolArguments\nname\n  Field required [type=missing, …".
std::string FitPydantic(std::string_view tool, const json::object& schema, json::object& arguments);

}  // namespace viv::tools
