#pragma once
// What the file tools say about a file besides its text: its kind, its times, whether it is text.

#include <cstdint>
#include <string>
#include <string_view>

namespace viv::tools::commander {

// By the name's ending: an image's type, or text/plain.
std::string_view MediaTypeOf(std::string_view path);
bool IsImageType(std::string_view media_type);

// Judges by the first 512 bytes: a NUL byte, or more than a tenth of bytes that no text has.
inline constexpr std::size_t kBinaryCheckBytes = 512;
bool LooksBinary(std::string_view start);

// "Mon Nov 16 2026 01:53:50 GMT+0000 (Coordinated Universal Time)", in the box's zone.
std::string JavaScriptDate(std::int64_t seconds);

}  // namespace viv::tools::commander
