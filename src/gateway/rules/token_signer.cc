// The key that callbacks' tokens are signed with, and the tokens.

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/base64.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/unique_fd.h"
#include "gateway/rules/callback_client.h"
#include "gateway/rules/crypto.h"

namespace viv::gateway {
namespace {

constexpr std::size_t kKeyFileBytesMax = 16 * 1024;
constexpr std::int64_t kTokenSeconds = 300;

tl::unexpected<Error> FileFailure(const std::string& doing, const std::string& path) {
  return Fail(ErrorCode::kInternal, doing + " " + path + ": " + std::strerror(errno));
}

// kNotFound when there is none.
Result<Wiped> ReadKeyFile(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file && errno == ENOENT) return Fail(ErrorCode::kNotFound, path + " does not exist");
  if (!file) return FileFailure("open", path);
  // A copy that was made with other rights is ours alone again.
  if (::fchmod(file.get(), 0600) != 0) return FileFailure("chmod", path);
  std::string text(kKeyFileBytesMax, '\0');
  ssize_t count = ::read(file.get(), text.data(), text.size());
  if (count < 0) return FileFailure("read", path);
  text.resize(static_cast<std::size_t>(count));
  return Wiped(std::move(text));
}

// Whole or not at all, whenever the machine stops.
Status WriteKeyFile(const std::string& path, const Wiped& text) {
  std::string beside = path + "." + RandomHex(16);
  UniqueFd file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return FileFailure("create", beside);
  auto size = static_cast<ssize_t>(text.text().size());
  bool written = ::write(file.get(), text.text().data(), text.text().size()) == size &&
                 ::fsync(file.get()) == 0 && std::rename(beside.c_str(), path.c_str()) == 0;
  if (written) return Status();
  auto failure = FileFailure("write", path);
  ::unlink(beside.c_str());
  return failure;
}

Result<KeyPtr> OpenKey(const std::string& path) {
  Result<Wiped> text = ReadKeyFile(path);
  if (!text && text.error().code == ErrorCode::kNotFound) {
    KeyPtr made = MakeEd25519();
    Wiped pem(PemOfKey(*made));
    RETURN_IF_ERROR(WriteKeyFile(path, pem));
    return made;
  }
  if (!text) return PassUp(std::move(text).error());
  KeyPtr key = KeyOfPem(text->text());
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
  std::error_code failed;
  if (!std::filesystem::exists(folder, failed)) {
    std::filesystem::create_directories(folder, failed);
    if (!failed) std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
    if (failed)
      return Fail(ErrorCode::kInternal, "create folder " + folder + ": " + failed.message());
  }
  ASSIGN_OR_RETURN(KeyPtr key, OpenKey(folder + "/callbacks.key"), "open the callbacks' key");
  return std::make_unique<Ed25519Signer>(std::move(key), std::move(issuer));
}

}  // namespace viv::gateway
