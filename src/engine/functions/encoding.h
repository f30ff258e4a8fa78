#pragma once
// Bytes as text: Base64 (RFC 4648).

#include <optional>
#include <string>
#include <string_view>

namespace viv::engine::functions {

enum class Base64Alphabet { kStandard, kUrl };

// Padded in the standard alphabet, without padding in that for URLs.
std::string Base64Encode(std::string_view bytes, Base64Alphabet alphabet);

// White space is passed over, as mail and GitHub wrap lines. Padding must be right in the standard
// alphabet and may be missing in that for URLs. Nothing when the text is not Base64.
std::optional<std::string> Base64Decode(std::string_view text, Base64Alphabet alphabet);

}  // namespace viv::engine::functions
