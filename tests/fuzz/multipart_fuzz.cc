// Any bytes are a form or are refused; it must not matter how they are cut into pieces. The first
// line is the Content-Type header, the rest the body.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/files/multipart.h"
#include "base/check.h"
#include "fuzz_target.h"

namespace {

using viv::agent::MultipartParser;

// What was read, as text to compare. What a part lost its end to is told as broken.
std::string ReadForm(const std::string& boundary, std::string_view bytes, std::size_t step) {
  MultipartParser parser(boundary);
  std::string seen;
  std::size_t data_bytes = 0;
  for (;;) {
    switch (parser.Next()) {
      case MultipartParser::Step::kMore:
        if (bytes.empty()) parser.Finish();
        parser.Feed(bytes.substr(0, step));
        bytes.remove_prefix(std::min(step, bytes.size()));
        break;
      case MultipartParser::Step::kBegin:
        seen += "\x01" + parser.name() + "\x02" + parser.filename().value_or("");
        break;
      case MultipartParser::Step::kData:
        CHECK(!parser.data().empty());
        data_bytes += parser.data().size();
        seen += parser.data();
        break;
      case MultipartParser::Step::kEnd:
        seen += "\x03";
        break;
      case MultipartParser::Step::kDone:
        CHECK(data_bytes <= 1 << 20);
        return seen + "done";
      case MultipartParser::Step::kBroken:
        CHECK(!parser.error().empty());
        return "broken";
    }
  }
}

}  // namespace

FUZZ_TARGET(multipart)(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size > 10'000) return 0;  // beyond the limits, where to stop depends on the pieces
  std::size_t line = std::min(bytes.find('\n'), size);
  std::optional<std::string> boundary = viv::agent::BoundaryOf(bytes.substr(0, line));
  if (!boundary) return 0;
  bytes.remove_prefix(std::min(line + 1, size));
  std::string whole = ReadForm(*boundary, bytes, size + 1);
  CHECK(ReadForm(*boundary, bytes, 1) == whole);
  CHECK(ReadForm(*boundary, bytes, 7) == whole);
  return 0;
}
