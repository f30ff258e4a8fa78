#include "dialects/e2b/signature.h"

#include <charconv>

#include "base/base64.h"
#include "base/digest.h"
#include "base/ids.h"

namespace viv::e2b {

std::optional<FileLink> FileLinkOf(const http::Request& request) {
  if (request.path != "/files" && request.path != "/e2b/files") return std::nullopt;
  std::optional<std::string> signature = request.Query("signature");
  if (!signature) return std::nullopt;
  FileLink link;
  if (request.method == "GET" || request.method == "HEAD") {
    link.operation = "read";
  } else if (request.method == "POST") {
    link.operation = "write";
  } else {
    return std::nullopt;
  }
  link.path = request.Query("path").value_or("");
  link.user = request.Query("username").value_or("");
  link.expiration = request.Query("signature_expiration").value_or("");
  link.signature = std::move(*signature);
  return link;
}

std::string Sign(const FileLink& link, std::string_view token) {
  std::string text = link.path + ':' + link.operation + ':' + link.user + ':';
  text += token;
  if (!link.expiration.empty()) text += ':' + link.expiration;
  std::string text64 = EncodeBase64(Sha256(text));
  while (text64.ends_with('=')) text64.pop_back();
  return "v1_" + text64;
}

bool IsSignedWith(const FileLink& link, std::string_view token) {
  return !token.empty() && EqualsInConstantTime(link.signature, Sign(link, token));
}

bool IsExpired(const FileLink& link, std::int64_t now_ms) {
  if (link.expiration.empty()) return false;
  std::int64_t seconds = 0;
  const char* end = link.expiration.data() + link.expiration.size();
  auto read = std::from_chars(link.expiration.data(), end, seconds);
  return read.ec != std::errc() || read.ptr != end || seconds < now_ms / 1000;
}

}  // namespace viv::e2b
