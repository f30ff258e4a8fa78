#pragma once
// Performs one TLS handshake as client or server, within ten seconds, and returns the transport.
// Internal to this module.

#include <chrono>
#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "base/task.h"
#include "gateway/tls/openssl.h"
#include "gateway/tls/tls.h"
#include "http/transport.h"

namespace viv::gateway {

inline constexpr std::chrono::seconds kHandshakeTime{10};

enum class TlsSide { kServer, kClient };

struct HandshakeFailure {
  enum class Kind {
    kTimeout,
    kClosed,         // the other side closed the connection
    kAlertReceived,  // the other side sent an alert
    kProtocolError   // the other side's messages were invalid
  };
  Kind kind = Kind::kProtocolError;
  int reason = 0;          // OpenSSL's reason code
  long verify_result = 0;  // why the certificate is invalid; 0: it is valid
  std::string text;
};

// `already_read` is what was read from the socket before. The socket is closed if this fails.
Task<tl::expected<TlsConnection, HandshakeFailure>> RunTlsHandshake(
    http::StreamSocket socket,
    SslPtr ssl,
    TlsSide side,
    std::string already_read,
    std::chrono::milliseconds time_max);

}  // namespace viv::gateway
