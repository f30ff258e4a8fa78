// Any bytes are a frame of the exec WebSocket or are refused with a reason; and any bytes a command
// writes become text, with nothing lost or told twice, however they are cut.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agent/dataplane/execute_frames.h"
#include "agent/dataplane/utf8_prefix.h"
#include "base/check.h"
#include "base/text.h"
#include "fuzz_target.h"

namespace {

using viv::agent::MoreBytes;
using viv::agent::TakeUtf8Prefix;
using viv::agent::Utf8Prefix;

// As a reader does it: whole characters from the front, the last of them at the end.
std::string CutInSteps(std::string_view bytes, std::size_t step) {
  std::string text;
  std::size_t offset = 0;
  for (std::size_t known = step;; known += step) {
    bool last = known >= bytes.size();
    std::string_view part = bytes.substr(offset, last ? bytes.npos : known - offset);
    Utf8Prefix cut = TakeUtf8Prefix(part, last ? MoreBytes::kNone : MoreBytes::kMayFollow);
    CHECK(cut.bytes <= part.size() && part.size() - cut.bytes < 4);
    CHECK(viv::IsValidUtf8(cut.text));
    text += cut.text;
    offset += cut.bytes;
    if (last) break;
  }
  CHECK(offset == bytes.size());
  return text;
}

}  // namespace

FUZZ_TARGET(execute_frame)(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto opening = viv::agent::ReadFirstFrame(bytes);
  CHECK(opening || !opening.error().message.empty());
  if (opening && !opening->reconnects) {
    const auto& request = opening->request;
    CHECK(request.pty || !request.command.empty() || !request.arguments.empty());
    CHECK(request.id.empty() || viv::agent::IsCommandId(request.id));
    CHECK(!request.timeout || request.timeout->count() >= 0);
  }
  auto frame = viv::agent::ReadClientFrame(bytes);
  CHECK(frame || !frame.error().message.empty());
  std::string whole = CutInSteps(bytes, size + 1);
  CHECK(CutInSteps(bytes, 1) == whole);
  CHECK(CutInSteps(bytes, 3) == whole);
  return 0;
}
