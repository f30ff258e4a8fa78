#pragma once
// Parses the first bytes that a guest sends on a connection to find the host it wants: a TLS
// ClientHello or the head of an HTTP request. Nothing in them is trusted. Bytes that two parsers
// could read differently are kMalformed.

#include <cstddef>
#include <string>
#include <string_view>

namespace viv::network {

struct FirstBytes {
  enum class Kind {
    kNeedsMore,  // it may still become TLS or HTTP
    kTls,
    kHttp,      // HTTP/1.x in the clear
    kHttp2,     // the HTTP/2 preface without TLS
    kOther,     // any other protocol
    kMalformed  // it began as TLS or HTTP but is not valid
  };
  Kind kind = Kind::kNeedsMore;
  std::string host;  // SNI or Host, in lower case, without port and trailing dot; may be empty
  bool has_encrypted_name = false;  // it has an ECH or ESNI extension
  bool offers_http2 = false;        // ALPN has "h2"
};

inline constexpr std::size_t kFirstBytesMax = 32 * 1024;  // longer first bytes are kMalformed

// `bytes` are all bytes since the connection began.
FirstBytes ParseFirstBytes(std::string_view bytes);
// The same after the guest has closed its side; never returns kNeedsMore.
FirstBytes ParseFirstBytesAtEof(std::string_view bytes);

}  // namespace viv::network
