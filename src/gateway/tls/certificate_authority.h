#pragma once
// Our certificate authority. It is made at the first start and stored in a folder that only the
// server can read. Boxes trust it. It issues certificates for the hosts of a box's rules, which
// only that box gets to see. Thread-safe.

#include <cstddef>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"

typedef struct ssl_ctx_st SSL_CTX;

namespace viv::gateway {

// If there are more contexts, the least recently used ones are dropped and made again when needed.
inline constexpr std::size_t kContextsMax = 1024;

class CertificateAuthority {
 public:
  // Reads or makes `folder`/authority.pem and authority.key. A certificate that expires within a
  // year is replaced.
  static Result<std::unique_ptr<CertificateAuthority>> Open(const std::string& folder,
                                                            Clock clock = NowMs);
  virtual ~CertificateAuthority() = default;

  virtual const std::string& pem() const = 0;  // the certificate, not the key
  // A context that serves TLS as `host`, a name in any case. Contexts are cached, so only the first
  // call for a host costs a signature.
  virtual Result<std::shared_ptr<SSL_CTX>> ContextFor(const std::string& host) = 0;
};

}  // namespace viv::gateway
