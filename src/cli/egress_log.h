#pragma once
// viv logs --egress: the allowed and refused connections of a box. Names and paths come from the
// guest, so control characters are removed before they are printed.

#include <cstddef>
#include <string>

#include "base/json.h"
#include "cli/remote.h"

namespace viv::cli {

struct EgressLogOptions {
  std::size_t limit = 100;
  bool json = false;  // a line of JSON for each record
};
int ShowEgressLog(const Remote& remote, const std::string& id, const EgressLogOptions& options);

// The records as a table with its head.
std::string EgressTable(const json::array& records);

}  // namespace viv::cli
