#include "dialects/langsmith/signed_token.h"

#include "base/base64.h"
#include "base/ids.h"
#include "base/text.h"

namespace viv::langsmith {
namespace {

// A path of 4096 bytes, each escaped, in base64, and some.
constexpr std::size_t kTokenBytesMax = 40'000;
constexpr std::size_t kTokenDepthMax = 4;
constexpr std::string_view kTokenHead = R"({"alg":"HS256","typ":"JWT"})";

std::string_view PurposeName(TokenPurpose purpose) {
  return purpose == TokenPurpose::kService ? "langsmith.service" : "langsmith.download";
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c - 'a' + 10;
}

std::string BytesOfHex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(HexDigit(hex[i]) * 16 + HexDigit(hex[i + 1]));
  return bytes;
}

std::string TokenSignature(const accounts::Sealer& sealer,
                           TokenPurpose purpose,
                           std::string_view signed_part) {
  return EncodeBase64Url(BytesOfHex(sealer.Sign(PurposeName(purpose), signed_part)));
}

}  // namespace

std::string SignToken(const accounts::Sealer& sealer, TokenPurpose purpose, json::object claims) {
  claims["aud"] = json::string(PurposeName(purpose));
  claims["jti"] = RandomHex(16);
  std::string token = EncodeBase64Url(kTokenHead) + '.' + EncodeBase64Url(WriteJson(claims));
  return token + '.' + TokenSignature(sealer, purpose, token);
}

std::optional<json::value> OpenToken(const accounts::Sealer& sealer,
                                     TokenPurpose purpose,
                                     std::string_view token) {
  if (token.size() > kTokenBytesMax) return std::nullopt;
  std::size_t last = token.rfind('.');
  if (last == std::string_view::npos) return std::nullopt;
  std::string_view signed_part = token.substr(0, last);
  // The text is compared, not the bytes it stands for: one token has one spelling.
  std::string expected = TokenSignature(sealer, purpose, signed_part);
  if (!EqualsInConstantTime(token.substr(last + 1), expected)) return std::nullopt;
  // From here on they are our own words; the head is looked at all the same.
  std::size_t dot = signed_part.find('.');
  if (dot == std::string_view::npos || signed_part.substr(0, dot) != EncodeBase64Url(kTokenHead))
    return std::nullopt;
  std::optional<std::string> text = DecodeBase64(signed_part.substr(dot + 1));
  if (!text) return std::nullopt;
  auto claims = ParseJson(*text, kTokenDepthMax);
  if (!claims || !claims->is_object() || FindString(*claims, "aud") != PurposeName(purpose))
    return std::nullopt;
  return *std::move(claims);
}

bool IsTokenExpired(const json::value& claims, std::int64_t now_ms) {
  const json::value* end = Find(claims, "exp");
  if (end == nullptr) return false;
  return !end->is_int64() || now_ms / 1000 >= end->get_int64();
}

std::int64_t TokenEnd(std::int64_t now_ms, std::int64_t seconds) {
  return (now_ms + 999) / 1000 + seconds;
}

}  // namespace viv::langsmith
