#pragma once
// Smart pointers for OpenSSL's objects, and its last error as text. Internal to this module.

#include <openssl/types.h>

#include <memory>
#include <string>
#include <string_view>

typedef struct ssl_session_st SSL_SESSION;

namespace viv::gateway {

struct OpenSslFree {
  void operator()(BIO* bio) const;
  void operator()(EVP_PKEY* key) const;
  void operator()(SSL* ssl) const;
  void operator()(SSL_CTX* context) const;
  void operator()(SSL_SESSION* session) const;
  void operator()(X509* certificate) const;
};
using BioPtr = std::unique_ptr<BIO, OpenSslFree>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpenSslFree>;
using SslPtr = std::unique_ptr<SSL, OpenSslFree>;
using ContextPtr = std::unique_ptr<SSL_CTX, OpenSslFree>;
using SessionPtr = std::unique_ptr<SSL_SESSION, OpenSslFree>;
using CertificatePtr = std::unique_ptr<X509, OpenSslFree>;

BioPtr ReadableBio(std::string_view text);  // refers to the text
std::string TextOf(BIO* bio);               // the content of a memory BIO

// Why the last call on this thread failed. Clears the error queue.
std::string LastOpenSslError();

}  // namespace viv::gateway
