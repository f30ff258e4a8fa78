// The frames of a Connect stream: the same messages must come out however the bytes are cut.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz_target.h"
#include "rpc/connect/envelope.h"

namespace {

std::string Split(std::string_view bytes, std::size_t step) {
  viv::connect::EnvelopeSplitter splitter;
  std::string seen;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    splitter.Feed(bytes.substr(at, step));
    for (;;) {
      auto next = splitter.Next();
      if (!next) return seen + std::string(viv::connect::CodeName(next.error().code));
      if (!next->has_value()) break;
      seen += viv::connect::WrapEnvelope((*next)->flags, (*next)->message);
    }
  }
  return seen;
}

}  // namespace

FUZZ_TARGET(connect_envelope)(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string whole = Split(bytes, bytes.size());
  if (Split(bytes, data[0] % 16 + 1) != whole) std::abort();
  return 0;
}
