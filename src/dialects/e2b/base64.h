#pragma once
// Base64 without padding, in the two alphabets that E2B's texts use.

#include <optional>
#include <string>
#include <string_view>

namespace viv::e2b {

enum class Base64Alphabet { kStandard, kUrl };

std::string Base64Encode(std::string_view bytes, Base64Alphabet alphabet);

// The url alphabet only; padding may be there. Nothing for other text.
std::optional<std::string> Base64UrlDecode(std::string_view text);

}  // namespace viv::e2b
