#pragma once
// A Debian root file system by mmdebstrap.

#include <string>

#include "base/result.h"
#include "templates/templates.h"

namespace viv::templates {

// Into the new folder `root`. Takes minutes; `progress` gets what the tool says, line by line.
Status BootstrapDebian(const std::string& root,
                       const DebianOptions& options,
                       const Progress& progress);

// The command that does it, for the test of its form. kInvalidArgument for a suite, mirror or
// package that is not one: they come from a request.
Result<std::vector<std::string>> DebianCommand(const std::string& root,
                                               const DebianOptions& options);

}  // namespace viv::templates
