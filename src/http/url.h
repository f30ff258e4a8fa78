#pragma once
// "http://host[:port]/path?query" taken apart, for the client. Internal to this module.

#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::http {

struct Url {
  std::string host;       // without brackets
  std::string port;       // "80"
  std::string authority;  // for the Host header
  std::string target;     // "/path?query"
};

Result<Url> ParseUrl(std::string_view text);

// The same for a connection that stands already: "/path" alone will do, too.
Result<Url> ParseUrlOrPath(std::string_view text);

}  // namespace viv::http
