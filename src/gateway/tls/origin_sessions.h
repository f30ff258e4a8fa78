#pragma once
// The last TLS session with each origin, so that the next connection to it begins with fewer
// signatures and no chain to verify. It is the context's, which OpenSSL keeps as long as any
// connection. Sessions are only of connections whose certificate was verified. Internal to this
// module, thread-safe.

#include <cstddef>

#include "gateway/tls/openssl.h"

namespace viv::gateway {

inline constexpr std::size_t kOriginSessionsMax = 1024;  // the longest unused goes

void EnableSessionCache(SSL_CTX* context);  // a client's
// Before the handshake, once the connection has its server's name.
void ResumeSession(SSL* ssl);

}  // namespace viv::gateway
