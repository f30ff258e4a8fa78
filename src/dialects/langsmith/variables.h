#pragma once
// Environment variables as requests give them: {"NAME": "value"}.

#include <map>
#include <string>

#include "dialects/langsmith/checked.h"

namespace viv::langsmith {

using Variables = std::map<std::string, std::string>;

// The member `name` of `members`; a name that no environment can hold is a mistake.
Variables ReadVariables(Members& members, std::string_view name);

}  // namespace viv::langsmith
