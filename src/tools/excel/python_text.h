#pragma once
// Values as Python writes them, for clients that know the words of a server written in it.

#include <string>

#include "base/json.h"
#include "tools/kit/python_repr.h"

namespace viv::tools::excel {

std::string PythonText(const json::value& value);  // str(): text as it is, all else as repr()
std::string PythonJson(const json::value& value);  // json.dumps(value, indent=2)

}  // namespace viv::tools::excel
