// Any text of a Host header is a host, or is refused; what is read is a plain host that reads the
// same again.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "fuzz_target.h"
#include "gateway/requested_host.h"

FUZZ_TARGET(gateway_host)(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto read = viv::gateway::ReadRequestedHost(text);
  if (!read) return 0;
  CHECK(!read->host.empty() && read->host.size() <= 253);
  CHECK(read->host.find_first_of("@/\\?#[] \t\r\n") == std::string::npos);
  CHECK(!read->port || *read->port != 0);
  bool is_v6 = text.starts_with('[');
  CHECK(is_v6 || read->host.find(':') == std::string::npos);
  std::string again = is_v6 ? "[" + read->host + "]" : read->host;
  if (read->port) again += ":" + std::to_string(*read->port);
  auto same = viv::gateway::ReadRequestedHost(again);
  // A name that ends in two dots loses one each time.
  if (!read->host.ends_with('.'))
    CHECK(same && same->host == read->host && same->port == read->port);
  return 0;
}
