#pragma once
// The variables a process starts with, and where its program is.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/context.h"
#include "base/result.h"

namespace viv::agent {

using Variables = std::map<std::string, std::string>;

// PATH, HOME, USER and LOGNAME, and the paths of CA certificates when the box trusts our authority;
// the box's variables override them, and the request's override those. A name that is empty or has
// '=' or NUL in it, or a value with NUL, is kInvalidArgument.
Result<Variables> EnvironmentFor(const Context& context,
                                 const User& user,
                                 const Variables& requested);
std::vector<std::string> AsAssignments(const Variables& variables);  // "NAME=value"

// `command` when it is a path, else the first such program in `search_path`, never in the current
// folder; kNotFound as Go's os/exec says it.
Result<std::string> FindProgram(const std::string& command, std::string_view search_path);

}  // namespace viv::agent
