#pragma once
// Our certificate authority: made on first start, kept in a folder that only the server reads, and
// trusted inside boxes. It vouches for any host that a box's rules name, toward that box alone.
// Thread-safe.

#include <cstddef>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"

typedef struct ssl_ctx_st SSL_CTX;

namespace viv::gateway {

// Contexts beyond these, the longest unused ones, are made anew when they are asked for again.
inline constexpr std::size_t kContextsMax = 1024;

class CertificateAuthority {
 public:
  // Reads or makes `folder`/authority.pem and authority.key. One that ends within the year is made
  // anew.
  static Result<std::unique_ptr<CertificateAuthority>> Open(const std::string& folder,
                                                            Clock clock = NowMs);
  virtual ~CertificateAuthority() = default;

  virtual const std::string& pem() const = 0;  // the certificate, not the key
  // What serves TLS as `host`, a name in any case; kept for the next time, so this is quick but for
  // the first one, which costs a signature.
  virtual Result<std::shared_ptr<SSL_CTX>> ContextFor(const std::string& host) = 0;
};

}  // namespace viv::gateway
