#pragma once
// Socket memory of a network namespace that the kernel charges to no cgroup: rtnetlink replies that
// nobody reads, and data on connections that nobody has accepted. A box could exhaust the machine's
// memory with either, so the server has to check it.

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace viv::network {

struct UnchargedMemory {
  std::int64_t netlink_bytes = 0;
  std::int64_t unaccepted_bytes = 0;
};
Result<UnchargedMemory> ReadUnchargedMemory(int netns);

// Destroys the connections in that namespace that nobody has accepted and that hold data.
Status DropUnaccepted(int netns);

// The sum of a column's numbers, by its name, in a table of /proc/net.
std::int64_t SumColumn(std::string_view table, std::string_view column);

}  // namespace viv::network
