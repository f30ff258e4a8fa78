#include "accounts/sealer.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>

#include <memory>

#include "base/base64.h"
#include "base/check.h"
#include "base/digest.h"

namespace viv::accounts {
namespace {

constexpr std::string_view kSealedPrefix = "v1.";  // of the form below: nonce, text, tag
constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kPlainBytesMax = 16 << 20;

struct CipherFree {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherPtr = std::unique_ptr<EVP_CIPHER_CTX, CipherFree>;
struct KeyContextFree {
  void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
};

const unsigned char* In(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* Out(std::string& bytes, std::size_t at = 0) {
  return reinterpret_cast<unsigned char*>(bytes.data()) + at;
}

// HKDF-SHA256, so that a key for one use says nothing about the server's secret or another use.
std::string DeriveKey(std::string_view secret, std::string_view use) {
  std::unique_ptr<EVP_PKEY_CTX, KeyContextFree> context(
      EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nullptr));
  std::string key(kKeyBytes, '\0');
  std::size_t size = key.size();
  CHECK(context != nullptr && EVP_PKEY_derive_init(context.get()) == 1);
  CHECK(EVP_PKEY_CTX_set_hkdf_md(context.get(), EVP_sha256()) == 1);
  CHECK(EVP_PKEY_CTX_set1_hkdf_key(context.get(), In(secret), static_cast<int>(secret.size())) ==
        1);
  CHECK(EVP_PKEY_CTX_add1_hkdf_info(context.get(), In(use), static_cast<int>(use.size())) == 1);
  CHECK(EVP_PKEY_derive(context.get(), Out(key), &size) == 1 && size == key.size());
  return key;
}

tl::unexpected<Error> NotOurs() {
  return Fail(ErrorCode::kInvalidArgument,
              "a stored secret cannot be opened: it was changed, or sealed for another place or by "
              "another server; set it again");
}

}  // namespace

Sealer::Sealer(std::string_view server_secret)
    : key_(DeriveKey(server_secret, "viv secrets at rest")),
      signing_key_(DeriveKey(server_secret, "viv signatures")) {}

Sealer::~Sealer() {
  OPENSSL_cleanse(key_.data(), key_.size());
  OPENSSL_cleanse(signing_key_.data(), signing_key_.size());
}

std::string Sealer::Seal(std::string_view purpose, std::string_view plain) const {
  CHECK(plain.size() <= kPlainBytesMax && purpose.size() <= kPlainBytesMax);
  std::string sealed(kNonceBytes + plain.size() + kTagBytes, '\0');
  CHECK(RAND_bytes(Out(sealed), kNonceBytes) == 1);
  CipherPtr cipher(EVP_CIPHER_CTX_new());
  int size = 0;
  CHECK(cipher != nullptr &&
        EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, In(key_), Out(sealed)) == 1);
  CHECK(EVP_EncryptUpdate(cipher.get(), nullptr, &size, In(purpose),
                          static_cast<int>(purpose.size())) == 1);
  CHECK(EVP_EncryptUpdate(cipher.get(), Out(sealed, kNonceBytes), &size, In(plain),
                          static_cast<int>(plain.size())) == 1);
  CHECK(static_cast<std::size_t>(size) == plain.size());
  CHECK(EVP_EncryptFinal_ex(cipher.get(), Out(sealed, kNonceBytes + plain.size()), &size) == 1);
  CHECK(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes,
                            Out(sealed, kNonceBytes + plain.size())) == 1);
  return std::string(kSealedPrefix) + EncodeBase64Url(sealed);
}

Result<std::string> Sealer::Open(std::string_view purpose, std::string_view sealed) const {
  if (!sealed.starts_with(kSealedPrefix) || purpose.size() > kPlainBytesMax) return NotOurs();
  auto bytes = DecodeBase64(sealed.substr(kSealedPrefix.size()));
  if (!bytes || bytes->size() < kNonceBytes + kTagBytes ||
      bytes->size() > kNonceBytes + kPlainBytesMax + kTagBytes)
    return NotOurs();
  std::size_t plain_size = bytes->size() - kNonceBytes - kTagBytes;
  std::string plain(plain_size, '\0');
  CipherPtr cipher(EVP_CIPHER_CTX_new());
  int size = 0;
  bool opened =
      cipher != nullptr &&
      EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, In(key_), In(*bytes)) == 1 &&
      EVP_DecryptUpdate(cipher.get(), nullptr, &size, In(purpose),
                        static_cast<int>(purpose.size())) == 1 &&
      EVP_DecryptUpdate(cipher.get(), Out(plain), &size, In(*bytes) + kNonceBytes,
                        static_cast<int>(plain_size)) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes,
                          Out(*bytes, kNonceBytes + plain_size)) == 1 &&
      EVP_DecryptFinal_ex(cipher.get(), Out(plain) + plain_size, &size) == 1;
  if (!opened) return NotOurs();
  return plain;
}

std::string Sealer::Sign(std::string_view purpose, std::string_view message) const {
  // The purpose gets a key of its own, so that no two (purpose, message) run into each other.
  return Hex(HmacSha256(HmacSha256(signing_key_, purpose), message));
}

}  // namespace viv::accounts
