#pragma once
// Creates a box with a timeout. The domain always finishes a creation; a box that is ready too
// late, or whose client has disconnected, is removed again, because no client would know of it.

#include <chrono>

#include "boxes/boxes.h"

namespace viv::langsmith {

// kUnavailable with the text of kCreateTimedOut after the timeout. `boxes` outlives the creation.
inline constexpr std::string_view kCreateTimedOut = "not ready in time";
Task<Result<boxes::BoxPtr>> CreateWithTimeout(boxes::Boxes& boxes,
                                              boxes::CreateBox request,
                                              std::chrono::milliseconds timeout);

}  // namespace viv::langsmith
