#pragma once
// A JSON value as Python's repr() shows it: agents know the texts of Python servers by heart.

#include <string>
#include <string_view>

#include "base/json.h"

namespace viv::tools {

std::string PythonRepr(std::string_view text);          // 'it' or "it's", odd characters escaped
std::string PythonRepr(const json::value& value);       // {'a': [1, 2.0, True, None]}
std::string_view PythonType(const json::value& value);  // int, str, NoneType …

}  // namespace viv::tools
