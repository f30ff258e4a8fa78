#include "gateway/rules/crypto.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>

#include "base/base64.h"
#include "base/check.h"

namespace viv::gateway {
namespace {

constexpr std::size_t kPemBytesMax = 64 * 1024;

struct DigestFree {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* Bytes(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

// OpenSSL's functions take a non-const key, although they do not change it.
EVP_PKEY* Mutable(const EVP_PKEY& key) {
  return const_cast<EVP_PKEY*>(&key);
}

Result<std::string> SignMessage(const EVP_PKEY& key, std::string_view message) {
  // Ed25519 includes its digest.
  const EVP_MD* digest = EVP_PKEY_is_a(&key, "RSA") == 1 ? EVP_sha256() : nullptr;
  std::unique_ptr<EVP_MD_CTX, DigestFree> context(EVP_MD_CTX_new());
  CHECK(context != nullptr);
  std::size_t size = 0;
  std::string signature;
  bool ok = EVP_DigestSignInit(context.get(), nullptr, digest, nullptr, Mutable(key)) == 1 &&
            EVP_DigestSign(context.get(), nullptr, &size, Bytes(message), message.size()) == 1;
  if (ok) {
    signature.resize(size);
    ok =
        EVP_DigestSign(context.get(), Bytes(signature), &size, Bytes(message), message.size()) == 1;
  }
  ERR_clear_error();
  if (!ok) return Fail(ErrorCode::kInvalidArgument, "sign a token: the key does not work");
  signature.resize(size);
  return signature;
}

}  // namespace

KeyPtr MakeEd25519() {
  KeyPtr key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  CHECK(key != nullptr);
  return key;
}

std::string PemOfKey(const EVP_PKEY& key) {
  BioPtr bio(BIO_new(BIO_s_secmem()));
  CHECK(bio != nullptr && PEM_write_bio_PrivateKey(bio.get(), Mutable(key), nullptr, nullptr, 0,
                                                   nullptr, nullptr) == 1);
  return TextOf(bio.get());
}

KeyPtr KeyOfPem(std::string_view pem) {
  if (pem.empty() || pem.size() > kPemBytesMax) return nullptr;
  BioPtr bio = ReadableBio(pem);
  CHECK(bio != nullptr);
  // An empty password, so that OpenSSL does not ask for one at the terminal.
  char no_password[] = "";
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, no_password));
  ERR_clear_error();
  return key;
}

bool IsEd25519(const EVP_PKEY& key) {
  return EVP_PKEY_is_a(&key, "ED25519") == 1;
}

std::string PublicBytes(const EVP_PKEY& key) {
  std::string bytes(32, '\0');
  std::size_t size = bytes.size();
  CHECK(EVP_PKEY_get_raw_public_key(&key, Bytes(bytes), &size) == 1 && size == bytes.size());
  return bytes;
}

Result<std::string> SignJwt(const EVP_PKEY& key, std::string_view key_id, json::object claims) {
  bool rsa = EVP_PKEY_is_a(&key, "RSA") == 1;
  if (rsa ? EVP_PKEY_get_bits(&key) < 2048 || EVP_PKEY_get_bits(&key) > 8192 : !IsEd25519(key))
    return Fail(ErrorCode::kInvalidArgument,
                "the private key is neither RSA of 2048 to 8192 bits nor Ed25519");
  json::object header{{"alg", rsa ? "RS256" : "EdDSA"}, {"typ", "JWT"}};
  if (!key_id.empty()) header["kid"] = key_id;
  std::string token = EncodeBase64Url(WriteJson(header)) + '.' + EncodeBase64Url(WriteJson(claims));
  ASSIGN_OR_RETURN(std::string signature, SignMessage(key, token));
  return token + '.' + EncodeBase64Url(signature);
}

}  // namespace viv::gateway
