#pragma once
// viv ls: the sandboxes that the key's account holds.

#include <string>

#include "cli/remote.h"

namespace viv::cli {

int ListSandboxes(const Remote& remote, const std::string& server, std::size_t limit);

}  // namespace viv::cli
