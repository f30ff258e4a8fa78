#pragma once
// Base64: written in the standard alphabet with padding or in the URL-safe one without, read in
// either, with or without padding.

#include <optional>
#include <string>
#include <string_view>

namespace viv {

std::string EncodeBase64(std::string_view bytes);
std::string EncodeBase64Url(std::string_view bytes);
std::optional<std::string> DecodeBase64(std::string_view text);  // nothing when broken

}  // namespace viv
