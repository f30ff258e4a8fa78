#pragma once
// Works as another user of the box: creates a folder for the user and changes the uid of this
// process.

#include <string>

#include "base/result.h"

namespace viv::tools {

// Makes `folder` and what is missing above it, all of it the user's; then gives up all other
// rights. Only root can; kNotFound without such a user in /etc/passwd.
Status MakeFolderAndSetUser(const std::string& folder, const std::string& user);

}  // namespace viv::tools
