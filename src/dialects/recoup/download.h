#pragma once
// Fetches what a user's URL points to. The URL is hostile: only http, https and data; every address
// that the URL or a redirect leads to is checked before it is dialled, so that none of them leads
// into the operator's own network.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/task.h"
#include "network/dial_guard.h"

namespace viv::http {
class ClientTls;
}

namespace viv::recoup {

struct DownloadOptions {
  std::size_t bytes_max = 32 << 20;
  std::chrono::seconds time{30};       // for each of connecting and reading
  network::DialGuard dial_guard = {};  // decides which addresses are dialled
  http::ClientTls* tls = nullptr;      // nullptr: https:// is refused; outlives the executor
};

Task<Result<std::string>> Download(std::string url, DownloadOptions options);

// The bytes within "data:…"; nothing when it is malformed.
std::optional<std::string> BytesOfDataUrl(std::string_view url);

}  // namespace viv::recoup
