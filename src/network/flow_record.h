#pragma once
// Lines of the flow log. Internal to flow_log.cc.

#include <string>

#include "network/flow_log.h"

namespace viv::network {

// The record with its texts cut to the limits of a line.
FlowRecord TruncatedRecord(const FlowRecord& record);
// The record as a line of JSON with its line feed. Texts are made printable.
std::string FlowLine(const FlowRecord& record);

}  // namespace viv::network
