#pragma once
// How many descriptors this process may have. Debian gives a process 1,024 and lets it take half a
// million, for the sake of programs that use select(); a server that holds boxes takes them.

#include <cstdint>

namespace viv {

// What RaiseOpenFileLimit would allow, or does.
std::uint64_t OpenFilesMax();

// Takes all that the hard limit allows, up to a million: some programs that inherit the limit look
// at every number below it. Answers how many may be open now.
std::uint64_t RaiseOpenFileLimit();

}  // namespace viv
