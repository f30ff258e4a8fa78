#pragma once
// The first bytes a guest sends on a connection, as far as they tell which host it means: a TLS
// ClientHello or the head of an HTTP request. Nothing of it is trusted; what two readers could read
// differently counts as kMalformed.

#include <cstddef>
#include <string>
#include <string_view>

namespace viv::network {

struct FirstBytes {
  enum class Kind {
    kNeedsMore,  // so far it may become TLS or HTTP
    kTls,
    kHttp,      // HTTP/1.x in the clear
    kHttp2,     // the preface of HTTP/2 without TLS
    kOther,     // neither: any other protocol
    kMalformed  // it began as TLS or HTTP and is none
  };
  Kind kind = Kind::kNeedsMore;
  std::string host;  // SNI or Host: lower case, no port, no trailing dot; empty: none
  bool has_encrypted_name = false;  // an ECH or ESNI extension
  bool offers_http2 = false;        // ALPN has "h2"
};

inline constexpr std::size_t kFirstBytesMax = 32 * 1024;  // more than that is kMalformed

// Of all bytes since the connection began.
FirstBytes ParseFirstBytes(std::string_view bytes);
// The same when the guest sends no more: never kNeedsMore.
FirstBytes ParseFirstBytesAtEof(std::string_view bytes);

}  // namespace viv::network
