#pragma once
// The certificates that we make: our authority's own, and those it gives to hosts. Internal to this
// module.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "gateway/tls/openssl.h"

namespace viv::gateway {

inline constexpr std::int64_t kDaySeconds = 24 * 60 * 60;
inline constexpr std::int64_t kAuthoritySeconds = 3650 * kDaySeconds;
inline constexpr std::int64_t kLeafSeconds = 90 * kDaySeconds;

// A name that a certificate can be for: labels of letters, digits, '-' and '_', none empty, as DNS
// limits them. No addresses, no wildcards.
bool IsHostName(std::string_view host);

Result<KeyPtr> MakeKey();  // P-256

// May sign certificates of hosts, and no other authority. Valid since an hour before `now_s`, for
// clocks that go wrong.
Result<CertificatePtr> MakeAuthorityCertificate(EVP_PKEY* key, std::int64_t now_s);

struct Issuer {
  X509* certificate;
  EVP_PKEY* key;
};
// One signature. `host` is a name, in lower case.
Result<CertificatePtr> IssueLeafCertificate(const std::string& host,
                                            EVP_PKEY* leaf_key,
                                            Issuer issuer,
                                            std::int64_t now_s);

std::string PemOf(X509* certificate);
std::int64_t NotAfterOf(const X509* certificate);  // seconds since 1970

}  // namespace viv::gateway
