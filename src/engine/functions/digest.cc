// Digests and encodings as SQL functions. SQLite itself has hex().

#include "base/digest.h"

#include <openssl/evp.h>

#include "base/text.h"
#include "engine/functions/encoding.h"
#include "engine/functions/families.h"

namespace viv::engine::functions {
namespace {

Result<Value> Digest(std::string_view bytes, const EVP_MD* algorithm) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &size, algorithm, nullptr) != 1) {
    return Fail(ErrorCode::kInternal, "OpenSSL does not offer this digest");
  }
  return Hex({reinterpret_cast<const char*>(digest), size});
}

Result<Value> Sha1Hex(const Arguments& arguments) {
  return Digest(arguments.Text(0), EVP_sha1());
}

Result<Value> Sha256Hex(const Arguments& arguments) {
  return Digest(arguments.Text(0), EVP_sha256());
}

Result<Value> Md5Hex(const Arguments& arguments) {
  return Digest(arguments.Text(0), EVP_md5());
}

// What `git hash-object` prints for a file of this content.
Result<Value> GitBlobSha(const Arguments& arguments) {
  std::string_view content = arguments.Text(0);
  std::string object = "blob " + std::to_string(content.size());
  object += '\0';
  return Digest(object.append(content), EVP_sha1());
}

Result<Value> Encode64(const Arguments& arguments) {
  return Base64Encode(arguments.Text(0), Base64Alphabet::kStandard);
}

Result<Value> Encode64Url(const Arguments& arguments) {
  return Base64Encode(arguments.Text(0), Base64Alphabet::kUrl);
}

// Text where the bytes are text, so that apps need no CAST; a blob otherwise.
Result<Value> Decoded(std::optional<std::string> bytes) {
  if (!bytes) return Null{};
  bool text = bytes->find('\0') == std::string::npos && IsValidUtf8(*bytes);
  if (text) return *std::move(bytes);
  return Blob{*std::move(bytes)};
}

Result<Value> Decode64(const Arguments& arguments) {
  return Decoded(Base64Decode(arguments.Text(0), Base64Alphabet::kStandard));
}

Result<Value> Decode64Url(const Arguments& arguments) {
  return Decoded(Base64Decode(arguments.Text(0), Base64Alphabet::kUrl));
}

}  // namespace

std::span<const Function> DigestFunctions() {
  static constexpr Function kFunctions[] = {{"sha1_hex", 1, 1, Sha1Hex},
                                            {"sha256_hex", 1, 1, Sha256Hex},
                                            {"md5_hex", 1, 1, Md5Hex},
                                            {"git_blob_sha", 1, 1, GitBlobSha},
                                            {"base64_encode", 1, 1, Encode64},
                                            {"base64_decode", 1, 1, Decode64},
                                            {"base64url_encode", 1, 1, Encode64Url},
                                            {"base64url_decode", 1, 1, Decode64Url}};
  return kFunctions;
}

}  // namespace viv::engine::functions
