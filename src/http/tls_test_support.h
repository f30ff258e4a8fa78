#pragma once
// For tests of TLS: a certificate of its own.

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "base/ids.h"
#include "http/server.h"
#include "http/tls.h"

namespace viv::http {

// A self-signed certificate for "localhost" and its key, in a directory that goes with it.
class SelfSigned {
 public:
  SelfSigned() : directory_(std::filesystem::temp_directory_path() / ("viv-tls-" + RandomHex(16))) {
    std::filesystem::create_directory(directory_);
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* name = X509_get_subject_name(certificate);
    const auto* common = reinterpret_cast<const unsigned char*>("localhost");
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common, -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_sign(certificate, key, EVP_sha256());
    std::FILE* file = std::fopen(certificate_path().c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
    file = std::fopen(key_path().c_str(), "w");
    PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
  ~SelfSigned() { std::filesystem::remove_all(directory_); }

  std::string certificate_path() const { return directory_ / "certificate.pem"; }
  std::string key_path() const { return directory_ / "key.pem"; }

  ServerOptions Options() const {
    ServerOptions options;
    options.tls_library = &OpenSsl();
    options.tls = std::make_unique<TlsFiles>(TlsFiles{certificate_path(), key_path()});
    return options;
  }

 private:
  std::filesystem::path directory_;
};

}  // namespace viv::http
