#pragma once
// The content coding of a body: identity or gzip.

#include <optional>
#include <string_view>

namespace viv::agent {

enum class ContentCoding { kIdentity, kGzip };

// The best one an Accept-Encoding header allows; nothing when it refuses both.
std::optional<ContentCoding> ChooseContentCoding(std::string_view accept_encoding);
// Whether the header refuses the identity coding.
bool RefusesIdentity(std::string_view accept_encoding);

// What a Content-Encoding header says; nothing when it is another one.
std::optional<ContentCoding> ParseContentEncoding(std::string_view content_encoding);

}  // namespace viv::agent
