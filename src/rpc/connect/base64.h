#pragma once
// Base64 as proto3's JSON uses it: written in the standard alphabet with padding, read in the
// standard or the URL-safe one, with or without padding.

#include <optional>
#include <string>
#include <string_view>

namespace viv::connect {

std::string EncodeBase64(std::string_view bytes);
std::optional<std::string> DecodeBase64(std::string_view text);  // nothing when broken

}  // namespace viv::connect
