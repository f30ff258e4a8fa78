#include "agent/files/access.h"

#include <charconv>

#include "base/base64.h"
#include "base/ids.h"

namespace viv::agent {
namespace {

std::string BytesOfHex(std::string_view hex) {
  auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    bytes += static_cast<char>(digit(hex[at]) * 16 + digit(hex[at + 1]));
  }
  return bytes;
}

std::optional<std::int64_t> ParseSeconds(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

}  // namespace

std::string SignLink(const SignedLink& link, std::string_view token) {
  std::string text(link.path);
  text.append(link.access == FileAccess::kRead ? ":read:" : ":write:");
  text.append(link.user).append(":").append(token);
  if (link.expires_at_s) text.append(":").append(std::to_string(*link.expires_at_s));
  std::string digest = EncodeBase64(BytesOfHex(Sha256Hex(text)));
  while (digest.ends_with('=')) digest.pop_back();
  return "v1_" + digest;
}

std::optional<AccessRefusal> RefuseAccess(const Context& context,
                                          const http::Request& request,
                                          FileAccess access,
                                          std::int64_t now_s) {
  if (context.access_token.empty()) return std::nullopt;
  std::string_view shown = request.headers.Get("x-access-token");
  if (!shown.empty()) {
    if (EqualsInConstantTime(shown, context.access_token)) return std::nullopt;
    return AccessRefusal{401, "access token present in header but does not match"};
  }
  std::optional<std::string> signature = request.Query("signature");
  if (!signature) return AccessRefusal{401, "missing signature query parameter"};

  std::string path = request.Query("path").value_or("");
  std::string user = request.Query("username").value_or("");
  SignedLink link{.path = path, .access = access, .user = user};
  if (std::optional<std::string> expiration = request.Query("signature_expiration")) {
    link.expires_at_s = ParseSeconds(*expiration);
    if (!link.expires_at_s) {
      return AccessRefusal{400, "Invalid format for parameter signature_expiration: not a number"};
    }
  }
  if (!EqualsInConstantTime(*signature, SignLink(link, context.access_token))) {
    return AccessRefusal{401, "invalid signature"};
  }
  if (link.expires_at_s && *link.expires_at_s < now_s) {
    return AccessRefusal{401, "signature is already expired"};
  }
  return std::nullopt;
}

}  // namespace viv::agent
