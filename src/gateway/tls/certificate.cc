#include "gateway/tls/certificate.h"

#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <memory>

#include "base/digest.h"
#include "base/text.h"

namespace viv::gateway {
namespace {

constexpr std::int64_t kClockErrorSeconds = 60 * 60;
constexpr std::size_t kCommonNameBytesMax = 64;  // RFC 5280's ub-common-name
constexpr long kVersion3 = 2;

tl::unexpected<Error> FailToMake(const std::string& what) {
  return Fail(ErrorCode::kInternal, "make " + what + ": " + LastOpenSslError());
}

bool SetSerial(X509* certificate) {
  unsigned char bytes[16];
  if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
  // Positive, and always of full length.
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x3F) | 0x40);
  const std::unique_ptr<BIGNUM, void (*)(BIGNUM*)> number(BN_bin2bn(bytes, sizeof bytes, nullptr),
                                                          BN_free);
  return number != nullptr &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool SetTimes(X509* certificate, std::int64_t from_s, std::int64_t until_s) {
  return ASN1_TIME_set(X509_getm_notBefore(certificate), static_cast<time_t>(from_s)) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), static_cast<time_t>(until_s)) != nullptr;
}

bool SetCommonName(X509* certificate, const std::string& name) {
  return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                                    reinterpret_cast<const unsigned char*>(name.data()),
                                    static_cast<int>(name.size()), -1, 0) == 1;
}

// Some extensions depend on the certificate and its issuer, so everything else has to be set
// before.
bool AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, void (*)(X509_EXTENSION*)> extension(
      X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()), X509_EXTENSION_free);
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// The first digits of the key's identifier.
std::string ShortKeyId(const X509* certificate) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (X509_pubkey_digest(certificate, EVP_sha1(), digest, &size) != 1 || size < 4) return {};
  return Hex({reinterpret_cast<const char*>(digest), 4});
}

bool IsLabel(std::string_view label) {
  if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-')
    return false;
  return std::all_of(label.begin(), label.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

}  // namespace

bool IsHostName(std::string_view host) {
  if (host.empty() || host.size() > 253) return false;
  const auto labels = Split(host, '.');
  if (!std::all_of(labels.begin(), labels.end(), IsLabel)) return false;
  // A last label that is a number makes it an address, in one of many notations.
  const std::string_view last = labels.back();
  return !std::all_of(last.begin(), last.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         !last.starts_with("0x");
}

Result<KeyPtr> MakeKey() {
  KeyPtr key(EVP_EC_gen("P-256"));
  if (key == nullptr) return FailToMake("a key");
  return key;
}

Result<CertificatePtr> MakeAuthorityCertificate(EVP_PKEY* key, std::int64_t now_s) {
  CertificatePtr made(X509_new());
  X509* it = made.get();
  const bool done = it != nullptr && X509_set_version(it, kVersion3) == 1 && SetSerial(it) &&
                    SetTimes(it, now_s - kClockErrorSeconds, now_s + kAuthoritySeconds) &&
                    X509_set_pubkey(it, key) == 1 &&
                    SetCommonName(it, "Vivarium egress gateway " + ShortKeyId(it)) &&
                    X509_set_issuer_name(it, X509_get_subject_name(it)) == 1 &&
                    AddExtension(it, it, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                    AddExtension(it, it, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                    AddExtension(it, it, NID_subject_key_identifier, "hash") &&
                    X509_sign(it, key, EVP_sha256()) != 0;
  if (!done) return FailToMake("the certificate of our authority");
  return made;
}

Result<CertificatePtr> IssueLeafCertificate(const std::string& host,
                                            EVP_PKEY* leaf_key,
                                            Issuer issuer,
                                            std::int64_t now_s) {
  if (!IsHostName(host))
    return Fail(ErrorCode::kInvalidArgument, "'" + Printable(host, 64) + "' is no name of a host");
  const std::int64_t end = std::min(now_s + kLeafSeconds, NotAfterOf(issuer.certificate));
  // A name that is too long for a common name only stands in the subject alternative name, which
  // then is critical.
  const bool named = host.size() <= kCommonNameBytesMax;
  CertificatePtr made(X509_new());
  X509* it = made.get();
  const bool done =
      it != nullptr && X509_set_version(it, kVersion3) == 1 && SetSerial(it) &&
      SetTimes(it, now_s - kClockErrorSeconds, end) && X509_set_pubkey(it, leaf_key) == 1 &&
      (!named || SetCommonName(it, host)) &&
      X509_set_issuer_name(it, X509_get_subject_name(issuer.certificate)) == 1 &&
      AddExtension(it, issuer.certificate, NID_basic_constraints, "critical,CA:FALSE") &&
      AddExtension(it, issuer.certificate, NID_key_usage, "critical,digitalSignature") &&
      AddExtension(it, issuer.certificate, NID_ext_key_usage, "serverAuth") &&
      AddExtension(it, issuer.certificate, NID_subject_alt_name,
                   (named ? "DNS:" : "critical,DNS:") + host) &&
      AddExtension(it, issuer.certificate, NID_subject_key_identifier, "hash") &&
      AddExtension(it, issuer.certificate, NID_authority_key_identifier, "keyid") &&
      X509_sign(it, issuer.key, EVP_sha256()) != 0;
  if (!done) return FailToMake("a certificate for " + host);
  return made;
}

std::string PemOf(X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (bio == nullptr || PEM_write_bio_X509(bio.get(), certificate) != 1) return {};
  return TextOf(bio.get());
}

std::int64_t NotAfterOf(const X509* certificate) {
  tm broken_down{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &broken_down) != 1) return 0;
  return static_cast<std::int64_t>(timegm(&broken_down));
}

}  // namespace viv::gateway
