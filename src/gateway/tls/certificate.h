#pragma once
// Makes certificates: that of our authority, and those it issues to hosts. Internal to this module.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "gateway/tls/openssl.h"

namespace viv::gateway {

inline constexpr std::int64_t kDaySeconds = 24 * 60 * 60;
inline constexpr std::int64_t kAuthoritySeconds = 3650 * kDaySeconds;
inline constexpr std::int64_t kLeafSeconds = 90 * kDaySeconds;

// Whether a certificate can be issued for this name: non-empty labels of letters, digits, '-' and
// '_' within DNS's limits. No addresses, no wildcards.
bool IsHostName(std::string_view host);

Result<KeyPtr> MakeKey();  // P-256

// It may sign certificates of hosts, but no other authority. It is valid from an hour before
// `now_s`, for clocks that are wrong.
Result<CertificatePtr> MakeAuthorityCertificate(EVP_PKEY* key, std::int64_t now_s);

struct Issuer {
  X509* certificate;
  EVP_PKEY* key;
};
// Takes one signature. `host` is a name in lower case.
Result<CertificatePtr> IssueLeafCertificate(const std::string& host,
                                            EVP_PKEY* leaf_key,
                                            Issuer issuer,
                                            std::int64_t now_s);

std::string PemOf(X509* certificate);
std::int64_t NotAfterOf(const X509* certificate);  // seconds since 1970

}  // namespace viv::gateway
