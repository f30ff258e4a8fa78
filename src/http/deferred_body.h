#pragma once
// A body that the server has not read yet, because it is larger than what it takes from callers it
// does not know (ServerOptions::body_defer_above_bytes). The handler that knows the caller asks for
// it; one that refuses the caller lets it be, and the connection ends after the answer.

#include <cstddef>
#include <optional>
#include <string>

#include "http/message.h"

namespace viv::http {

// What a handler is ready to take.
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
  // Makes it the request's `body`. An answer to give instead: it is too large, it broke off, or the
  // server has no memory for it within some seconds.
  virtual Task<std::optional<Response>> Load(BodyLimits limits) = 0;
};

// Nothing to do when the body is there already, or is streamed.
Task<std::optional<Response>> LoadBody(Request& request, BodyLimits limits);

}  // namespace viv::http
