#pragma once
// Which version of HTTP both sides of a TLS connection agree on. Internal to this module.

#include <openssl/types.h>

namespace viv::gateway {

// Protocols as TLS lists them, the better first.
inline constexpr unsigned char kHttp2AndHttp1[] = "\x02h2\x08http/1.1";
inline constexpr unsigned char kHttp1Only[] = "\x08http/1.1";

void OfferHttp2(SSL* ssl);  // a server's connection: before its handshake
void EnableAlpnSelection(
    SSL_CTX* context);                 // a server chooses; no common protocol ends the handshake
bool NegotiatedHttp2(const SSL* ssl);  // after the handshake

}  // namespace viv::gateway
