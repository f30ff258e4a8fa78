#pragma once
// An absolute http or https address that a request names, taken apart far enough to judge it. It is
// not fetched here.

#include <optional>
#include <string>
#include <string_view>

namespace viv::langsmith {

struct WebUrl {
  bool tls = false;
  bool has_credentials = false;  // "user:password@"
  std::string host;              // in lower case, without brackets
  std::string path;              // with its slash; empty when there is none
  bool has_query = false;        // or a fragment
};

std::optional<WebUrl> ParseWebUrl(std::string_view text);

}  // namespace viv::langsmith
