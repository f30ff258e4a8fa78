#pragma once
// Which pages of other origins may show a service in a frame: the list its owner gave with the
// sharing. Without one the service's own headers decide.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace viv::langsmith {

// "https://app.example.com[:port]" in lower case; nothing when the text is no origin of a page.
std::optional<std::string> EmbedOrigin(std::string_view text);

// Allows pages of these origins and of the service itself to show the response in a frame, whatever
// the guest's headers say.
void AllowFrames(http::Response& response, const std::vector<std::string>& origins);

}  // namespace viv::langsmith
