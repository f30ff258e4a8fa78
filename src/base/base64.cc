#include "base/base64.h"

#include <array>
#include <cstdint>

namespace viv {
namespace {

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoBase64Digit = 0xff;

constexpr std::array<std::uint8_t, 256> MakeBase64Values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoBase64Digit);
  for (std::size_t i = 0; i < kBase64Digits.size(); ++i) {
    values[static_cast<unsigned char>(kBase64Digits[i])] = static_cast<std::uint8_t>(i);
  }
  values['-'] = values['+'];
  values['_'] = values['/'];
  return values;
}
constexpr std::array<std::uint8_t, 256> kBase64Values = MakeBase64Values();

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* out = text.data();
  auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3, out += 4) {
    std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    out[0] = kBase64Digits[group >> 18];
    out[1] = kBase64Digits[group >> 12 & 63];
    if (i + 1 < bytes.size()) out[2] = kBase64Digits[group >> 6 & 63];
    if (i + 2 < bytes.size()) out[3] = kBase64Digits[group & 63];
  }
  return text;
}

std::string EncodeBase64Url(std::string_view bytes) {
  std::string text = EncodeBase64(bytes);
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) {
    if (c == '+') c = '-';
    if (c == '/') c = '_';
  }
  return text;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::size_t padded_size = text.size();
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::size_t padding = padded_size - text.size();
  if (padding > 2 || (padding > 0 && padded_size % 4 != 0) || text.size() % 4 == 1) {
    return std::nullopt;
  }
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t group = 0;
  int bits = 0;
  for (char c : text) {
    std::uint8_t value = kBase64Values[static_cast<unsigned char>(c)];
    if (value == kNoBase64Digit) return std::nullopt;
    group = group << 6 | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 0xff);
    group &= (1u << bits) - 1;
  }
  if (group != 0) return std::nullopt;  // bits that belong to no byte
  return bytes;
}

}  // namespace viv
