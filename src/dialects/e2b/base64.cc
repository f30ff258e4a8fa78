#include "dialects/e2b/base64.h"

#include <cstdint>

namespace viv::e2b {
namespace {

constexpr std::string_view kStandardDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

std::string Base64Encode(std::string_view bytes, Base64Alphabet alphabet) {
  std::string_view digits = alphabet == Base64Alphabet::kStandard ? kStandardDigits : kUrlDigits;
  std::string out;
  out.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t pending = 0;
  int bits = 0;
  for (char c : bytes) {
    pending = (pending << 8) | static_cast<unsigned char>(c);
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      out += digits[(pending >> bits) & 63];
    }
  }
  if (bits > 0) out += digits[(pending << (6 - bits)) & 63];
  return out;
}

std::optional<std::string> Base64UrlDecode(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() * 3 / 4);
  std::uint32_t pending = 0;
  int bits = 0;
  for (char c : text) {
    std::size_t digit = kUrlDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    pending = (pending << 6) | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += static_cast<char>((pending >> bits) & 255);
    }
  }
  return out;
}

}  // namespace viv::e2b
