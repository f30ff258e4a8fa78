// Any bytes on a connection are requests, or are refused; it must not matter how they are cut into
// pieces.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "fuzz_target.h"
#include "http/request_parser.h"

namespace {

using viv::http::RequestParser;

// What was read, as text to compare.
std::string Read(std::string_view bytes, std::size_t step) {
  RequestParser parser({.header_bytes = 4096, .body_bytes = 4096});
  std::string seen;
  std::string pending;
  for (;;) {
    RequestParser::Step fed = parser.Feed(pending);
    CHECK(fed.consumed <= pending.size());
    pending.erase(0, fed.consumed);
    if (fed.state == RequestParser::State::kBroken) return seen + "broken";
    if (fed.state == RequestParser::State::kHeadDone) continue;
    if (fed.state == RequestParser::State::kDone) {
      const viv::http::Request& request = parser.request();
      CHECK(request.body.size() <= 4096);
      seen += request.method + ' ' + request.path + '?' + request.query + ' ' + request.body + '\n';
      parser.Reset();
      continue;
    }
    if (bytes.empty()) return seen;
    pending += bytes.substr(0, step);
    bytes.remove_prefix(std::min(step, bytes.size()));
  }
}

}  // namespace

FUZZ_TARGET(http_request)(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size > 3000) return 0;  // beyond the limits, where to stop depends on the pieces
  std::string whole = Read(bytes, size + 1);
  std::string piecewise = Read(bytes, 7);
  // A broken end may be noticed sooner or later, but what came before it is the same.
  if (!whole.ends_with("broken") && !piecewise.ends_with("broken")) CHECK(whole == piecewise);
  return 0;
}
