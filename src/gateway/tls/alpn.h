#pragma once
// Negotiates the HTTP version of a TLS connection by ALPN. Internal to this module.

#include <openssl/types.h>

namespace viv::gateway {

// Protocol lists in TLS's format, the preferred one first.
inline constexpr unsigned char kHttp2AndHttp1[] = "\x02h2\x08http/1.1";
inline constexpr unsigned char kHttp1Only[] = "\x08http/1.1";

void OfferHttp2(SSL* ssl);  // for a server's connection, before its handshake
// Lets a server choose the protocol. Without a common protocol the handshake fails.
void EnableAlpnSelection(SSL_CTX* context);
bool NegotiatedHttp2(const SSL* ssl);  // after the handshake

}  // namespace viv::gateway
