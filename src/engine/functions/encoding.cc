#include "engine/functions/encoding.h"

#include <algorithm>
#include <cstdint>

namespace viv::engine::functions {
namespace {

constexpr std::string_view kStandard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

int SextetOf(char c, Base64Alphabet alphabet) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  bool url = alphabet == Base64Alphabet::kUrl;
  if (c == (url ? '-' : '+')) return 62;
  return c == (url ? '_' : '/') ? 63 : -1;
}

}  // namespace

std::string Base64Encode(std::string_view bytes, Base64Alphabet alphabet) {
  std::string_view letters = alphabet == Base64Alphabet::kUrl ? kUrl : kStandard;
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = (group << 8) | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i <= count; ++i) out += letters[(group >> (18 - 6 * i)) & 63];
    if (alphabet == Base64Alphabet::kStandard) out.append(3 - count, '=');
  }
  return out;
}

std::optional<std::string> Base64Decode(std::string_view text, Base64Alphabet alphabet) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  std::size_t sextets = 0;
  std::size_t padding = 0;
  for (char c : text) {
    if (c == ' ' || (c >= '\t' && c <= '\r')) continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    int sextet = SextetOf(c, alphabet);
    if (sextet < 0 || padding > 0) return std::nullopt;
    group = (group << 6) | static_cast<std::uint32_t>(sextet);
    if (++sextets % 4 == 0) {
      for (int shift : {16, 8, 0}) out += static_cast<char>((group >> shift) & 0xff);
      group = 0;
    }
  }
  std::size_t rest = sextets % 4;
  bool unpadded = padding == 0 && alphabet == Base64Alphabet::kUrl;
  if (rest == 1 || (!unpadded && padding != (4 - rest) % 4)) return std::nullopt;
  if (rest >= 2) out += static_cast<char>((group >> (rest == 2 ? 4 : 10)) & 0xff);
  if (rest == 3) out += static_cast<char>((group >> 2) & 0xff);
  return out;
}

}  // namespace viv::engine::functions
