#pragma once
// Creating a box for a client that waits only so long. The domain finishes what it began whatever
// the client does; a box that comes too late, or whose client hung up, is removed again, since
// nobody would know of it.

#include <chrono>

#include "boxes/boxes.h"

namespace viv::langsmith {

// kUnavailable with kCreateTimedOut's text when time ran out. `boxes` outlives the creation.
inline constexpr std::string_view kCreateTimedOut = "not ready in time";
Task<Result<boxes::BoxPtr>> CreateWithTimeout(boxes::Boxes& boxes,
                                              boxes::CreateBox request,
                                              std::chrono::milliseconds timeout);

}  // namespace viv::langsmith
