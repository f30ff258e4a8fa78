#pragma once
// Lines of the flow log. Internal to flow_log.cc.

#include <string>

#include "network/flow_log.h"

namespace viv::network {

// With texts cut to what a line may have.
FlowRecord TruncatedRecord(const FlowRecord& record);
// With its line feed, and texts made printable.
std::string FlowLine(const FlowRecord& record);

}  // namespace viv::network
