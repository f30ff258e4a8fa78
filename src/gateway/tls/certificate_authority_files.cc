#include "gateway/tls/certificate_authority_files.h"

#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <tuple>

#include "gateway/tls/certificate.h"
#include "gateway/tls/key_file.h"

namespace viv::gateway {
namespace {

constexpr char kCertificateFile[] = "/authority.pem";
constexpr char kKeyFile[] = "/authority.key";
constexpr char kAdvice[] = "; remove it and authority.pem to have a new authority made";

int NoPassphrase(char*, int, int, void*) {
  return 0;  // otherwise OpenSSL would ask at the terminal
}

}  // namespace

Result<std::optional<CertificateAuthorityPair>> ReadCertificateAuthority(
    const std::string& folder) {
  const std::string certificate_path = folder + kCertificateFile, key_path = folder + kKeyFile;
  ASSIGN_OR_RETURN(const auto certificate_file, ReadKeyFile(certificate_path));
  ASSIGN_OR_RETURN(const auto key_file, ReadKeyFile(key_path));
  if (key_file && (key_file->mode & 077) != 0)
    return Fail(ErrorCode::kUnavailable,
                key_path +
                    " can be read by others, who could then pose as any host to boxes: chmod "
                    "600 it, or remove it to have a new authority made");
  if (!certificate_file || !key_file) return std::optional<CertificateAuthorityPair>();
  const BioPtr certificate_bio = ReadableBio(certificate_file->text.text());
  const BioPtr key_bio = ReadableBio(key_file->text.text());
  CertificateAuthorityPair pair;
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
    return std::optional<CertificateAuthorityPair>();
  }
  return std::optional<CertificateAuthorityPair>(std::move(pair));
}

Status WriteCertificateAuthority(const std::string& folder, const CertificateAuthorityPair& pair) {
  const BioPtr bio(BIO_new(BIO_s_mem()));  // zeroized when freed
  if (bio == nullptr || PEM_write_bio_PKCS8PrivateKey(bio.get(), pair.key.get(), nullptr, nullptr,
                                                      0, nullptr, nullptr) != 1)
    return Fail(ErrorCode::kInternal, "write the key of our authority: " + LastOpenSslError());
  const ZeroizedString key(TextOf(bio.get()));
  // The key is written first: a certificate whose key is missing or does not match is replaced.
  RETURN_IF_ERROR(WriteKeyFile(folder + kKeyFile, key.text(), 0600));
  return WriteKeyFile(folder + kCertificateFile, PemOf(pair.certificate.get()), 0644);
}

}  // namespace viv::gateway
