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
    kClosed,   // the other side went away
    kRefused,  // the other side told us so, in an alert
    kBroken    // we did not like what it said
  };
  Kind kind = Kind::kBroken;
  int reason = 0;          // OpenSSL's
  long verify_result = 0;  // what is wrong with its certificate; 0: nothing
  std::string text;
};

// `taken` is what was read of the socket before. The socket is closed when this fails.
Task<tl::expected<Secured, HandshakeFailure>> ShakeHands(http::StreamSocket socket,
                                                         SslPtr ssl,
                                                         TlsSide side,
                                                         std::string taken,
                                                         std::chrono::milliseconds time_max);

}  // namespace viv::gateway
