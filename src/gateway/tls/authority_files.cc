#include "gateway/tls/authority_files.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/unique_fd.h"
#include "gateway/tls/certificate.h"

namespace viv::gateway {
namespace {

constexpr std::size_t kAuthorityFileBytesMax = 64 << 10;
constexpr char kCertificateFile[] = "/authority.pem";
constexpr char kKeyFile[] = "/authority.key";
constexpr char kAdvice[] = "; remove it and authority.pem to have a new authority made";

tl::unexpected<Error> FailCall(const std::string& doing, int error = errno) {
  return Fail(ErrorCode::kUnavailable, doing + ": " + std::generic_category().message(error));
}

// A text that is wiped when it goes.
struct WipedText {
  std::string text;
  WipedText() = default;
  WipedText(WipedText&& other) noexcept : text(std::move(other.text)) {}
  WipedText& operator=(WipedText&&) = delete;
  ~WipedText() { OPENSSL_cleanse(text.data(), text.size()); }
};

enum class Privacy { kPublic, kSecret };

// Nothing when there is no such file.
Result<std::optional<WipedText>> ReadAuthorityFile(const std::string& path, Privacy privacy) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::optional<WipedText>();
  if (!file) return FailCall("open " + path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return FailCall("look at " + path);
  if (privacy == Privacy::kSecret && (status.st_mode & 077) != 0)
    return Fail(ErrorCode::kUnavailable,
                path +
                    " can be read by others, who could then pose as any host to boxes: chmod "
                    "600 it, or remove it to have a new authority made");
  std::optional<WipedText> read(std::in_place);
  read->text.resize(kAuthorityFileBytesMax);
  std::size_t size = 0;
  while (size < read->text.size()) {
    const ssize_t got = ::read(file.get(), read->text.data() + size, read->text.size() - size);
    if (got < 0) return FailCall("read " + path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  read->text.resize(size);
  return read;
}

Status SyncFolder(const std::string& folder) {
  const UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::fsync(opened.get()) != 0) return FailCall("save " + folder);
  return {};
}

Status WriteAuthorityFile(const std::string& path, std::string_view text, mode_t mode) {
  const std::string fresh = path + ".new";
  if (::unlink(fresh.c_str()) != 0 && errno != ENOENT) return FailCall("remove " + fresh);
  {
    const UniqueFd file(
        ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return FailCall("make " + fresh);
    while (!text.empty()) {
      const ssize_t wrote = ::write(file.get(), text.data(), text.size());
      if (wrote < 0) return FailCall("write " + fresh);
      text.remove_prefix(static_cast<std::size_t>(wrote));
    }
    if (::fchmod(file.get(), mode) != 0 || ::fsync(file.get()) != 0)
      return FailCall("save " + fresh);
  }
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return FailCall("replace " + path);
  return {};
}

int NoPassphrase(char*, int, int, void*) {
  return 0;  // OpenSSL would ask the terminal
}

}  // namespace

Status PrepareAuthorityFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Fail(ErrorCode::kUnavailable, "make " + folder + ": " + error.message());
  if (::chmod(folder.c_str(), 0700) != 0) return FailCall("close " + folder + " to others");
  return {};
}

Result<std::optional<AuthorityPair>> ReadAuthority(const std::string& folder) {
  const std::string certificate_path = folder + kCertificateFile, key_path = folder + kKeyFile;
  ASSIGN_OR_RETURN(const auto certificate_text,
                   ReadAuthorityFile(certificate_path, Privacy::kPublic));
  ASSIGN_OR_RETURN(const auto key_text, ReadAuthorityFile(key_path, Privacy::kSecret));
  if (!certificate_text || !key_text) return std::optional<AuthorityPair>();
  const BioPtr certificate_bio = ReadableBio(certificate_text->text);
  const BioPtr key_bio = ReadableBio(key_text->text);
  AuthorityPair pair;
  pair.certificate.reset(PEM_read_bio_X509(certificate_bio.get(), nullptr, NoPassphrase, nullptr));
  if (pair.certificate == nullptr || X509_check_ca(pair.certificate.get()) != 1) {
    std::ignore = LastOpenSslError();
    return Fail(ErrorCode::kUnavailable,
                certificate_path + " is no certificate of an authority; remove it to have a new " +
                    "one made");
  }
  pair.key.reset(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, NoPassphrase, nullptr));
  if (pair.key == nullptr)
    return Fail(ErrorCode::kUnavailable,
                key_path + " holds no key (" + LastOpenSslError() + ")" + kAdvice);
  if (X509_check_private_key(pair.certificate.get(), pair.key.get()) != 1) {
    std::ignore = LastOpenSslError();
    return std::optional<AuthorityPair>();
  }
  return std::optional<AuthorityPair>(std::move(pair));
}

Status WriteAuthority(const std::string& folder, const AuthorityPair& pair) {
  const BioPtr bio(BIO_new(BIO_s_mem()));  // wiped when freed
  if (bio == nullptr || PEM_write_bio_PKCS8PrivateKey(bio.get(), pair.key.get(), nullptr, nullptr,
                                                      0, nullptr, nullptr) != 1)
    return Fail(ErrorCode::kInternal, "write the key of our authority: " + LastOpenSslError());
  WipedText key;
  key.text = TextOf(bio.get());
  // The key first: a certificate without its key is replaced, as is one with another's.
  RETURN_IF_ERROR(WriteAuthorityFile(folder + kKeyFile, key.text, 0600));
  RETURN_IF_ERROR(
      WriteAuthorityFile(folder + kCertificateFile, PemOf(pair.certificate.get()), 0644));
  return SyncFolder(folder);
}

}  // namespace viv::gateway
