#pragma once
// Caches the last TLS session with each origin, so that the next connection needs fewer signatures
// and no verification of the chain. The cache belongs to the SSL_CTX, which OpenSSL keeps as long
// as any connection. Only sessions with a verified certificate are stored. Internal to this module,
// thread-safe.

#include <cstddef>

#include "gateway/tls/openssl.h"

namespace viv::gateway {

inline constexpr std::size_t kOriginSessionsMax = 1024;  // the least recently used is dropped

void EnableSessionCache(SSL_CTX* context);  // of a client
// Call it before the handshake, after the server name is set.
void ResumeSession(SSL* ssl);

}  // namespace viv::gateway
