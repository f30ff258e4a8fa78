#pragma once
// CA certificates for Java: a key store in the JKS format, with the password that all such stores
// have.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace viv::templates {

// The certificates of a PEM text in their binary form, each once. What is no certificate is
// skipped; the content of certificates is not checked.
std::vector<std::string> CertificatesIn(std::string_view pem);

std::string JavaKeyStore(const std::vector<std::string>& certificates, std::int64_t now_ms);

}  // namespace viv::templates
