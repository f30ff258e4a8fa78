#include "base/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "base/check.h"

namespace viv {
namespace {

const unsigned char* DigestInput(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

std::string Sha256(std::string_view bytes) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(DigestInput(bytes), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

std::string HmacSha256(std::string_view key, std::string_view message) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), DigestInput(message),
             message.size(), reinterpret_cast<unsigned char*>(digest.data()), nullptr) != nullptr);
  return digest;
}

std::string Hex(std::string_view bytes) {
  constexpr char kHexDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    hex += kHexDigits[byte >> 4];
    hex += kHexDigits[byte & 15];
  }
  return hex;
}

}  // namespace viv
