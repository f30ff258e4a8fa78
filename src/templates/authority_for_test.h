#pragma once
// An authority's certificate, made on the spot.

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <string>

namespace viv::templates {

inline std::string MakeAuthorityPem(const std::string& name = "Some authority") {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME* subject = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate, subject);
  X509_sign(certificate, key, EVP_sha256());
  BIO* text = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(text, certificate);
  char* data = nullptr;
  const long size = BIO_get_mem_data(text, &data);
  std::string pem(data, static_cast<std::size_t>(size));
  BIO_free(text);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return pem;
}

}  // namespace viv::templates
