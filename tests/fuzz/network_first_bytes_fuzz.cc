// The first bytes of a guest's connection: whatever they are, reading them is safe; what was
// decided is not taken back by more of them; and a host that was found is one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "fuzz_target.h"
#include "network/address.h"
#include "network/first_bytes.h"
#include "network/policy_entry.h"

using viv::network::FirstBytes;
using viv::network::ParseFirstBytes;

FUZZ_TARGET(network_first_bytes)(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  FirstBytes whole = ParseFirstBytes(bytes);
  if (!whole.host.empty()) {
    CHECK(whole.kind == FirstBytes::Kind::kTls || whole.kind == FirstBytes::Kind::kHttp);
    CHECK(viv::ToLower(whole.host) == whole.host);
    CHECK(viv::network::IsHostName(whole.host) || viv::network::ParseAddress(whole.host));
  }
  if (size > viv::network::kFirstBytesMax) return 0;
  std::size_t step = std::max<std::size_t>(1, size / 64);
  for (std::size_t length = 0; length < size; length += step) {
    FirstBytes part = ParseFirstBytes(bytes.substr(0, length));
    if (part.kind == FirstBytes::Kind::kNeedsMore) continue;
    CHECK(part.kind == whole.kind && part.host == whole.host);
    CHECK(part.has_encrypted_name == whole.has_encrypted_name &&
          part.offers_http2 == whole.offers_http2);
  }
  return 0;
}
