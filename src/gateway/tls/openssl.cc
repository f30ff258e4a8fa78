#include "gateway/tls/openssl.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace viv::gateway {

void OpenSslFree::operator()(BIO* bio) const {
  BIO_free_all(bio);
}
void OpenSslFree::operator()(EVP_PKEY* key) const {
  EVP_PKEY_free(key);
}
void OpenSslFree::operator()(SSL* ssl) const {
  SSL_free(ssl);
}
void OpenSslFree::operator()(SSL_CTX* context) const {
  SSL_CTX_free(context);
}
void OpenSslFree::operator()(SSL_SESSION* session) const {
  SSL_SESSION_free(session);
}
void OpenSslFree::operator()(X509* certificate) const {
  X509_free(certificate);
}

BioPtr ReadableBio(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string TextOf(BIO* bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string();
}

std::string LastOpenSslError() {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  std::string text = reason == nullptr ? "OpenSSL failed" : reason;
  ERR_clear_error();
  return text;
}

}  // namespace viv::gateway
