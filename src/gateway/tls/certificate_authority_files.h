#pragma once
// Our authority on disk: FOLDER/authority.pem, which everybody may know, and authority.key, which
// nobody else may read. Internal to this module.

#include <optional>
#include <string>

#include "base/result.h"
#include "gateway/tls/openssl.h"

namespace viv::gateway {

struct CertificateAuthorityPair {
  CertificatePtr certificate;
  KeyPtr key;
};

// Nothing when one of the files is missing, or they do not belong together because a server was
// killed between them. Fails on files that are no authority, or a key that others can read.
Result<std::optional<CertificateAuthorityPair>> ReadCertificateAuthority(const std::string& folder);

// Each file appears complete; both are on disk when this returns.
Status WriteCertificateAuthority(const std::string& folder, const CertificateAuthorityPair& pair);

}  // namespace viv::gateway
