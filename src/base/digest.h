#pragma once
// Digests as bytes, and bytes as hexadecimal digits.

#include <string>
#include <string_view>

namespace viv {

std::string Sha256(std::string_view bytes);  // the 32 bytes
std::string HmacSha256(std::string_view key, std::string_view message);
std::string Hex(std::string_view bytes);  // lower case

}  // namespace viv
