#pragma once
// For tests of TLS: an authority that makes valid and invalid certificates, and the two ends of a
// connection on one loop.

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "base/clock.h"
#include "base/ids.h"
#include "gateway/tls/certificate.h"
#include "gateway/tls/openssl.h"
#include "http/transport.h"

namespace viv::gateway {

struct ScratchFolder {
  ScratchFolder() { std::filesystem::create_directory(path); }
  ~ScratchFolder() { std::filesystem::remove_all(path); }
  const std::string path =
      std::filesystem::temp_directory_path() / ("viv-gateway-tls-" + RandomHex(16));
};

struct TestCertificate {
  std::string name = "origin.example";  // may have a NUL in it
  std::int64_t from_s = -3600;          // relative to now
  std::int64_t until_s = 3600;
  bool is_authority = false;
  bool says_names = true;  // has subject alternative names; otherwise only a common name
};

struct TestIdentity {
  CertificatePtr certificate;
  KeyPtr key;
};

inline void AddTestExtension(X509* certificate, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// `issuer` is null for a self-signed certificate.
inline TestIdentity MakeTestIdentity(const TestCertificate& wanted, const TestIdentity* issuer) {
  TestIdentity made{CertificatePtr(X509_new()), *MakeKey()};
  X509* it = made.certificate.get();
  X509_set_version(it, 2);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(it), std::stoull(RandomHex(15), nullptr, 16));
  ASN1_TIME_set(X509_getm_notBefore(it), NowMs() / 1000 + wanted.from_s);
  ASN1_TIME_set(X509_getm_notAfter(it), NowMs() / 1000 + wanted.until_s);
  X509_set_pubkey(it, made.key.get());
  const std::string subject = wanted.name.substr(0, wanted.name.find('\0'));
  X509_NAME_add_entry_by_txt(X509_get_subject_name(it), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(subject.c_str()), -1, -1, 0);
  X509_set_issuer_name(it, X509_get_subject_name(issuer ? issuer->certificate.get() : it));
  AddTestExtension(it, NID_basic_constraints,
                   wanted.is_authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
  if (wanted.says_names && !wanted.is_authority) {
    GENERAL_NAMES* names = GENERAL_NAMES_new();
    GENERAL_NAME* name = GENERAL_NAME_new();
    ASN1_IA5STRING* text = ASN1_IA5STRING_new();
    ASN1_STRING_set(text, wanted.name.data(), static_cast<int>(wanted.name.size()));
    GENERAL_NAME_set0_value(name, GEN_DNS, text);
    sk_GENERAL_NAME_push(names, name);
    X509_add1_ext_i2d(it, NID_subject_alt_name, names, 0, 0);
    GENERAL_NAMES_free(names);
  }
  X509_sign(it, (issuer ? issuer->key : made.key).get(), EVP_sha256());
  return made;
}

inline std::shared_ptr<SSL_CTX> TestServerContext(const TestIdentity& identity,
                                                  X509* intermediate = nullptr) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  SSL_CTX_use_certificate(context.get(), identity.certificate.get());
  SSL_CTX_use_PrivateKey(context.get(), identity.key.get());
  if (intermediate != nullptr) SSL_CTX_add1_chain_cert(context.get(), intermediate);
  return context;
}

inline std::string SavePem(const ScratchFolder& folder, const std::string& pem) {
  const std::string path = folder.path + "/" + RandomHex(8) + ".pem";
  std::ofstream(path) << pem;
  return path;
}

struct SocketPair {
  explicit SocketPair(asio::io_context& io) : first(io), second(io) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    first = *http::AdoptSocket(io.get_executor(), UniqueFd(ends[0]));
    second = *http::AdoptSocket(io.get_executor(), UniqueFd(ends[1]));
  }
  http::StreamSocket first, second;
};

}  // namespace viv::gateway
