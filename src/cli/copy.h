#pragma once
// viv cp: files and folders into a box and out of it.

#include <string>

#include "cli/remote.h"

namespace viv::cli {

// One of the two is ID:PATH.
int Copy(const Remote& remote, const std::string& from, const std::string& to);

}  // namespace viv::cli
