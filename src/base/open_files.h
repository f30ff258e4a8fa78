#pragma once
// How many descriptors this process may have. Debian gives a process 1,024 and lets it take half a
// million, for the sake of programs that use select(); a server that holds boxes takes them.

#include <cstdint>

namespace viv {

// The limit that RaiseOpenFileLimit sets.
std::uint64_t OpenFilesMax();

// Raises the soft limit to the hard limit, but to a million at most: some programs that inherit the
// limit loop over every descriptor below it. Returns the limit that holds now.
std::uint64_t RaiseOpenFileLimit();

}  // namespace viv
