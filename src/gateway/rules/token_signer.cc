// The key that signs the tokens of callbacks, and the tokens.

#include "base/base64.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/ids.h"
#include "gateway/rules/callback_client.h"
#include "gateway/rules/crypto.h"
#include "gateway/tls/key_file.h"

namespace viv::gateway {
namespace {

constexpr std::int64_t kTokenSeconds = 300;

Result<KeyPtr> OpenKey(const std::string& path) {
  ASSIGN_OR_RETURN(const auto file, ReadKeyFile(path));
  if (!file) {
    KeyPtr made = MakeEd25519();
    const ZeroizedString pem(PemOfKey(*made));
    RETURN_IF_ERROR(WriteKeyFile(path, pem.text(), 0600));
    return made;
  }
  // Restores the mode of a copy that others could read.
  if ((file->mode & 077) != 0) {
    RETURN_IF_ERROR(WriteKeyFile(path, file->text.text(), 0600));
  }
  KeyPtr key = KeyOfPem(file->text.text());
  if (key == nullptr || !IsEd25519(*key))
    return Fail(ErrorCode::kInternal,
                "read " + path +
                    ": it has no Ed25519 key; restore it from a backup, or remove it and a new key "
                    "is made, which callbacks find at /.well-known/jwks.json");
  return key;
}

class Ed25519Signer final : public TokenSigner {
 public:
  Ed25519Signer(KeyPtr key, std::function<std::string()> issuer)
      : key_(std::move(key)),
        issuer_(std::move(issuer)),
        x_(EncodeBase64Url(PublicBytes(*key_))),
        // RFC 7638: the required members, in order, without spaces.
        id_(EncodeBase64Url(Sha256(R"({"crv":"Ed25519","kty":"OKP","x":")" + x_ + "\"}"))) {}

  std::string Sign(const std::string& audience, std::string_view body) const override {
    std::int64_t now = NowMs() / 1000;
    json::object claims{{"iss", issuer_()},    {"sub", "langsmith-sandbox-callback"},
                        {"aud", audience},     {"iat", now},
                        {"nbf", now},          {"exp", now + kTokenSeconds},
                        {"jti", RandomUuid()}, {"body_sha256", Sha256Hex(body)}};
    return SignJwt(*key_, id_, std::move(claims)).value_or("");
  }

  std::string JwksJson() const override {
    json::object key{{"kty", "OKP"},   {"crv", "Ed25519"}, {"x", x_},
                     {"alg", "EdDSA"}, {"use", "sig"},     {"kid", id_}};
    return WriteJson(json::object{{"keys", json::array{std::move(key)}}});
  }

 private:
  const KeyPtr key_;
  const std::function<std::string()> issuer_;
  const std::string x_, id_;  // the public key, and its thumbprint
};

}  // namespace

Result<std::unique_ptr<TokenSigner>> TokenSigner::Open(const std::string& folder,
                                                       std::function<std::string()> issuer) {
  RETURN_IF_ERROR(MakeKeyFolder(folder));
  ASSIGN_OR_RETURN(KeyPtr key, OpenKey(folder + "/callbacks.key"), "open the callbacks' key");
  return std::make_unique<Ed25519Signer>(std::move(key), std::move(issuer));
}

}  // namespace viv::gateway
