#include "cli/cert.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "base/errno_error.h"
#include "base/result.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "cli/print_error.h"

namespace viv::cli {
namespace {

template <auto kFree>
struct FreeWith {
  template <typename T>
  void operator()(T* it) const {
    kFree(it);
  }
};
using Pkey = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, FreeWith<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, FreeWith<X509_EXTENSION_free>>;
using Memory = std::unique_ptr<BIO, FreeWith<BIO_free_all>>;

constexpr long kCaDays = 3650;
constexpr long kServerDays = 397;  // clients refuse longer ones

bool IsDomainName(std::string_view name) {
  if (name.empty() || name.size() > 200 || name.find('.') == std::string_view::npos) return false;
  for (std::string_view label : Split(name, '.')) {
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-')
      return false;
    for (char c : label)
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-') return false;
  }
  return true;
}

Status AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  if (!extension || X509_add_ext(certificate, extension.get(), -1) != 1)
    return Fail(ErrorCode::kInternal, "certificate: extension " + value);
  return {};
}

Result<Certificate> NewCertificate(EVP_PKEY* key, const std::string& name, long days) {
  Certificate made(X509_new());
  unsigned char serial[16];
  RAND_bytes(serial, sizeof serial);
  serial[0] &= 0x7f;
  std::unique_ptr<BIGNUM, FreeWith<BN_free>> number(BN_bin2bn(serial, sizeof serial, nullptr));
  BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(made.get()));
  X509_set_version(made.get(), 2);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), days * 86400);
  X509_set_pubkey(made.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return made;
}

Status Sign(X509* certificate, X509* issuer, EVP_PKEY* key) {
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer));
  if (X509_sign(certificate, key, EVP_sha256()) == 0)
    return Fail(ErrorCode::kInternal, "certificate: signing failed");
  return {};
}

Status WritePrivately(const std::string& path, BIO* content) {
  char* data = nullptr;
  long size = BIO_get_mem_data(content, &data);
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file || ::write(file.get(), data, static_cast<std::size_t>(size)) != size)
    return FailErrno(ErrorCode::kUnavailable, "cannot write " + path);
  return {};
}

Status WriteKey(const std::string& path, EVP_PKEY* key) {
  Memory text(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(text.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return WritePrivately(path, text.get());
}

Status WriteCertificates(const std::string& path, std::initializer_list<X509*> chain) {
  Memory text(BIO_new(BIO_s_mem()));
  for (X509* it : chain) PEM_write_bio_X509(text.get(), it);
  return WritePrivately(path, text.get());
}

Status Make(const CertOptions& options) {
  if (!IsDomainName(options.domain)) {
    return Fail(ErrorCode::kInvalidArgument,
                "'" + options.domain +
                    "' is no domain: two labels at least are needed, such as box.test, for clients "
                    "refuse *.localhost");
  }
  ::mkdir(options.folder.c_str(), 0700);
  Pkey ca_key(EVP_EC_gen("P-256"));
  Pkey key(EVP_EC_gen("P-256"));
  if (!ca_key || !key) return Fail(ErrorCode::kInternal, "certificate: no keys could be made");
  ASSIGN_OR_RETURN(Certificate ca, NewCertificate(ca_key.get(), "Vivarium local CA", kCaDays));
  RETURN_IF_ERROR(AddExtension(ca.get(), ca.get(), NID_basic_constraints, "critical,CA:TRUE"));
  RETURN_IF_ERROR(AddExtension(ca.get(), ca.get(), NID_key_usage, "critical,keyCertSign,cRLSign"));
  RETURN_IF_ERROR(AddExtension(ca.get(), ca.get(), NID_subject_key_identifier, "hash"));
  RETURN_IF_ERROR(Sign(ca.get(), ca.get(), ca_key.get()));

  ASSIGN_OR_RETURN(Certificate server, NewCertificate(key.get(), options.domain, kServerDays));
  const std::string names = "DNS:" + options.domain + ",DNS:*." + options.domain;
  RETURN_IF_ERROR(AddExtension(server.get(), ca.get(), NID_subject_alt_name, names));
  RETURN_IF_ERROR(AddExtension(server.get(), ca.get(), NID_basic_constraints, "CA:FALSE"));
  RETURN_IF_ERROR(AddExtension(server.get(), ca.get(), NID_ext_key_usage, "serverAuth"));
  RETURN_IF_ERROR(AddExtension(server.get(), ca.get(), NID_authority_key_identifier, "keyid"));
  RETURN_IF_ERROR(Sign(server.get(), ca.get(), ca_key.get()));

  RETURN_IF_ERROR(WriteKey(options.folder + "/ca-key.pem", ca_key.get()));
  RETURN_IF_ERROR(WriteCertificates(options.folder + "/ca.pem", {ca.get()}));
  RETURN_IF_ERROR(WriteKey(options.folder + "/key.pem", key.get()));
  return WriteCertificates(options.folder + "/cert.pem", {server.get(), ca.get()});
}

}  // namespace

int MakeCertificate(const CertOptions& options) {
  Status made = Make(options);
  if (!made) return PrintError(made.error());
  fmt::print(
      "A certificate for {0} and *.{0} is in {1}. Serve with it:\n"
      "  viv serve --tls-listen 127.0.0.1:7443 --domain {0}:7443 --tls-certificate {1}/cert.pem "
      "--tls-key {1}/key.pem\n"
      "and let clients trust it:\n"
      "  export NODE_EXTRA_CA_CERTS={1}/ca.pem SSL_CERT_FILE={1}/ca.pem\n"
      "Names below {0} must resolve to this machine: use a wildcard record, or a line per box in "
      "/etc/hosts.\n",
      options.domain, options.folder);
  return 0;
}

}  // namespace viv::cli
