#pragma once
// One TLS handshake, of either side, in ten seconds at most; and the transport that comes of it.
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
    kClosed,         // the other side went away
    kAlertReceived,  // the other side told us so, in an alert
    kProtocolError   // we did not like what it said
  };
  Kind kind = Kind::kProtocolError;
  int reason = 0;          // OpenSSL's
  long verify_result = 0;  // what is wrong with its certificate; 0: nothing
  std::string text;
};

// `already_read` is what was read of the socket before. The socket is closed when this fails.
Task<tl::expected<TlsConnection, HandshakeFailure>> RunTlsHandshake(
    http::StreamSocket socket,
    SslPtr ssl,
    TlsSide side,
    std::string already_read,
    std::chrono::milliseconds time_max);

}  // namespace viv::gateway
