#pragma once
// Turns the bytes of a connection into Requests, one after another, within limits. It does no I/O:
// the caller feeds bytes, and feeds what was not consumed again together with more. It refuses
// whatever two parsers could read differently (both lengths, unknown encodings, no host).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "http/message.h"

namespace viv::http {

class RequestParser {
 public:
  struct Limits {
    std::size_t header_bytes;
    std::size_t body_bytes;
    // Decides on the head whether the body is handed out in pieces, without a limit; may be null.
    const std::function<bool(const Request&)>* streams_body = nullptr;
    // Larger bodies, and chunked ones, are handed out in pieces as well, within the limit.
    std::size_t body_defer_above_bytes = std::numeric_limits<std::size_t>::max();
  };
  enum class State {
    kNeedsMore,
    kHeadDone,  // reported once, when a body follows
    kDone,
    kBroken,  // see error(); nothing can be fed any more
  };
  struct Step {
    State state;
    std::size_t consumed;  // of the bytes given
  };
  struct Problem {
    int status = 400;
    std::string_view message;
  };

  explicit RequestParser(Limits limits);
  ~RequestParser();

  void Reset();  // for the next request; the old one is gone
  Step Feed(std::string_view bytes);

  Request& request();
  bool started() const;            // something of the request was seen
  std::size_t head_bytes() const;  // that were taken so far
  Problem error() const;

  // These hold once the head is done.
  bool is_http_1_1() const;
  bool keep_alive() const;
  bool wants_continue() const;    // "Expect: 100-continue"
  bool wants_web_socket() const;  // a complete WebSocket handshake
  bool streams_body() const;      // request().body is what was fed since it was last taken away
  bool defers_body() const;       // the same, for a body that is to be read whole later
  std::optional<std::uint64_t> body_bytes_left() const;  // nothing for a chunked body

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace viv::http
