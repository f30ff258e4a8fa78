// Any bytes are frames or are refused; it must not matter how they are cut into pieces. A session
// that is fed with them keeps to its limits.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/dataplane/yamux.h"
#include "agent/dataplane/yamux_session.h"
#include "base/check.h"
#include "fuzz_target.h"

namespace {

using viv::agent::YamuxParser;
using viv::agent::YamuxSession;
using viv::agent::YamuxStream;

// What was read, as text to compare.
std::string ReadFrames(std::string_view bytes, std::size_t step) {
  YamuxParser parser;
  std::string seen;
  for (;;) {
    switch (parser.Next()) {
      case YamuxParser::Step::kMore:
        if (bytes.empty()) return seen;
        parser.Feed(bytes.substr(0, step));
        bytes.remove_prefix(std::min(step, bytes.size()));
        break;
      case YamuxParser::Step::kFrame:
        seen += "\x01" + viv::agent::EncodeYamux(parser.header());
        break;
      case YamuxParser::Step::kData:
        CHECK(!parser.data().empty());
        seen += parser.data();
        break;
      case YamuxParser::Step::kBroken:
        CHECK(!parser.error().empty());
        return seen + "\x02" + parser.error();
    }
  }
}

void FeedSession(std::string_view bytes) {
  std::vector<std::shared_ptr<YamuxStream>> streams;
  YamuxSession session(
      [&](std::shared_ptr<YamuxStream> stream) { streams.push_back(std::move(stream)); });
  bool goes_on = session.Receive(bytes);
  CHECK(goes_on != session.ended());
  CHECK(session.streams() <= YamuxSession::kStreamsMax);
  for (auto& stream : streams) stream->Finish();
  session.End(viv::agent::kYamuxNormalEnd);
  CHECK(session.streams() == 0);
  while (!session.TakeOutput().empty()) {
  }
}

}  // namespace

FUZZ_TARGET(yamux)(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size > 20'000) return 0;
  std::string whole = ReadFrames(bytes, size + 1);
  CHECK(ReadFrames(bytes, 1) == whole);
  CHECK(ReadFrames(bytes, 7) == whole);
  FeedSession(bytes);
  return 0;
}
