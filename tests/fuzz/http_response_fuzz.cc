// Any bytes from a server are an answer, or are refused; it must not matter how they are cut into
// pieces, and the head keeps its limits.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "fuzz_target.h"
#include "http/response_parser.h"
#include "http/response_writer.h"

namespace {

using viv::http::ResponseParser;

// What was read, as text to compare.
std::string ReadAnswer(std::string_view bytes,
                       std::size_t step,
                       ResponseParser::RequestMethod asked,
                       ResponseParser::Interim interim) {
  ResponseParser parser(asked, interim);
  std::string seen;
  std::string pending;
  for (;;) {
    ResponseParser::Step fed = parser.Feed(pending);
    CHECK(fed.consumed <= pending.size());
    CHECK(fed.piece.size() <= fed.consumed);
    seen += fed.piece;
    pending.erase(0, fed.consumed);
    if (fed.state == ResponseParser::State::kBroken) return seen + "\nbroken";
    if (fed.state == ResponseParser::State::kDone) {
      for (const auto& [name, value] : parser.trailers()) {
        CHECK(viv::http::IsSafeHeader(name, value));
        seen += name + ':' + value + '\n';
      }
      return seen + "\ndone " + pending + std::string(bytes);
    }
    bool is_interim = fed.state == ResponseParser::State::kInterim;
    if (is_interim) CHECK(interim == ResponseParser::Interim::kReported);
    if (is_interim || fed.state == ResponseParser::State::kHead) {
      CHECK(parser.head().status >= 100 && parser.head().status <= 999);
      CHECK(is_interim == (parser.head().status < 200 && parser.head().status != 101));
      for (const auto& [name, value] : parser.head().headers) {
        CHECK(viv::http::IsSafeHeader(name, value));
        seen += name + '=' + value + '\n';
      }
    }
    if (fed.state != ResponseParser::State::kNeedsMore) continue;
    CHECK(pending.size() <= 64 * 1024);
    if (bytes.empty()) return seen + (parser.ends_with_stream() ? "\nopen" : "\ncut");
    pending += bytes.substr(0, step);
    bytes.remove_prefix(std::min(step, bytes.size()));
  }
}

}  // namespace

FUZZ_TARGET(http_response)(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (auto asked : {ResponseParser::RequestMethod::kOther, ResponseParser::RequestMethod::kHead}) {
    for (auto interim : {ResponseParser::Interim::kSkipped, ResponseParser::Interim::kReported}) {
      std::string whole = ReadAnswer(bytes, size + 1, asked, interim);
      std::string piecewise = ReadAnswer(bytes, 7, asked, interim);
      if (size < 4000) CHECK(whole == piecewise);  // beyond the limits, where to stop may differ
    }
  }
  return 0;
}
