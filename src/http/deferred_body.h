#pragma once
// A body that the server has not read yet, because it is larger than what the server accepts from
// callers that are not authenticated (ServerOptions::body_defer_above_bytes). A handler that knows
// the caller loads it. A handler that refuses the caller leaves it unread, and the connection
// closes after the response.

#include <cstddef>
#include <optional>
#include <string>

#include "http/message.h"

namespace viv::http {

// The largest body that a handler accepts.
struct BodyLimits {
  std::size_t bytes_max = 16 << 20;  // never more than ServerOptions::body_bytes_max
  // How many values of JSON: a parsed one needs many times the bytes of "[]," or "{},".
  std::size_t values_max = 512 << 10;
  std::string owner = {};  // whose share of the server's memory it is; empty: the caller's account
};
inline BodyLimits MessageLimits() {  // of a protocol
  return {.bytes_max = 4 << 20, .values_max = 128 << 10};
}
inline BodyLimits DocumentLimits() {  // with the whole state of something
  return {.bytes_max = std::size_t{1} << 40, .values_max = 6 << 20};
}

class DeferredBody {
 public:
  virtual ~DeferredBody() = default;
  // Reads the body into the request. Returns the response to send instead when the body is too
  // large, when it breaks off, or when the server gets no memory for it within some seconds.
  virtual Task<std::optional<Response>> Load(BodyLimits limits) = 0;
};

// Does nothing when the body was read already, or is streamed.
Task<std::optional<Response>> LoadBody(Request& request, BodyLimits limits);

}  // namespace viv::http
