// Any bytes may come as server-sent events, in any pieces, and give the same events; what is read
// can be written again and means the same.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "fuzz_target.h"
#include "http/event_parser.h"

namespace {

std::vector<std::string> Events(std::string_view bytes, std::size_t piece) {
  viv::http::EventParser parser(1 << 20);
  std::vector<std::string> events;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    CHECK(parser.Feed(bytes.substr(at, piece)).has_value());
    while (auto event = parser.Next()) events.push_back(viv::http::FormatEvent(*event));
  }
  return events;
}

}  // namespace

FUZZ_TARGET(sse)(const std::uint8_t* data, std::size_t size) {
  if (size > 1 << 16) return 0;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> whole = Events(bytes, bytes.size() + 1);
  CHECK(Events(bytes, 1) == whole);
  for (const std::string& event : whole) {
    std::vector<std::string> again = Events(event, 3);
    CHECK(again.size() == 1 && again[0] == event);
  }
  return 0;
}
