#pragma once
// Our authority on disk: FOLDER/authority.pem, which is public, and authority.key, which only the
// server may read. Internal to this module.

#include <optional>
#include <string>

#include "base/result.h"
#include "gateway/tls/openssl.h"

namespace viv::gateway {

struct CertificateAuthorityPair {
  CertificatePtr certificate;
  KeyPtr key;
};

// Nothing if one of the files is missing, or if they do not match because a server was killed
// between writing them. Fails if a file is not valid or others can read the key.
Result<std::optional<CertificateAuthorityPair>> ReadCertificateAuthority(const std::string& folder);

// Each file is replaced atomically. Both are on disk when this returns.
Status WriteCertificateAuthority(const std::string& folder, const CertificateAuthorityPair& pair);

}  // namespace viv::gateway
