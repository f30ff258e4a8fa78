#pragma once
// Connects to the host of a URL: resolves it, has every address judged, and dials only the
// addresses that were judged, so that a name cannot lead elsewhere in between. Internal to this
// module.

#include <functional>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "base/result.h"
#include "base/task.h"
#include "base/unique_fd.h"
#include "http/client.h"
#include "http/transport.h"
#include "http/url.h"

namespace viv::http {

struct DialOptions {
  Transport::Duration timeout{30'000};
  AddressCheck check_address = nullptr;
  std::function<bool()> is_abandoned = nullptr;  // asked once the host is resolved
};

// A connected TCP socket. kUnavailable when nobody is there; the check's own error when it refuses
// an address.
Task<Result<UniqueFd>> DialUrl(Url url, DialOptions options);

// Fails when the check refuses one of the addresses of `host`, whichever comes first: whoever owns
// the name decides on their order.
Status CheckAddresses(const std::string& host,
                      const std::vector<asio::ip::tcp::endpoint>& endpoints,
                      const AddressCheck& check);

}  // namespace viv::http
