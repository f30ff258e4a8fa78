#pragma once
// Fetches what a user's URL points to. The URL is untrusted: only http, https and data are allowed;
// names are resolved here and every address is checked before it is dialled, so that no URL, name
// or redirect reaches the operator's own network.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"

namespace viv::recoup {

struct DownloadLimits {
  std::size_t bytes_max = 32 << 20;
  std::chrono::seconds time{30};               // for each of connecting, greeting and reading
  std::vector<std::string> open_private = {};  // private blocks that may be dialled all the same
};

Task<Result<std::string>> Download(std::string url, DownloadLimits limits);

// The bytes within "data:…"; nothing when it is malformed.
std::optional<std::string> BytesOfDataUrl(std::string_view url);

// Taken apart for dialling. Exposed for tests.
struct WebUrl {
  bool secure = false;
  std::string host;       // without brackets
  std::string port;       // "443"
  std::string authority;  // for the Host header
  std::string target;     // "/path?query"
};
Result<WebUrl> ParseWebUrl(std::string_view text);
// Where a redirect from `from` leads.
Result<WebUrl> ResolveRedirect(const WebUrl& from, std::string_view location);

}  // namespace viv::recoup
