#pragma once
// Memory in sockets of a network namespace that the kernel charges to no control group: answers of
// routing netlink that nobody reads, and what arrived on connections that nobody has accepted. A
// box could fill the machine with either, so somebody has to look.

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace viv::network {

struct UnchargedMemory {
  std::int64_t netlink_bytes = 0;
  std::int64_t unaccepted_bytes = 0;
};
Result<UnchargedMemory> ReadUnchargedMemory(int network);

// Ends the connections in that namespace which nobody has accepted and which hold data.
Status DropUnaccepted(int network);

// The sum of a column's numbers, by its name, in a table of /proc/net.
std::int64_t SumColumn(std::string_view table, std::string_view column);

}  // namespace viv::network
