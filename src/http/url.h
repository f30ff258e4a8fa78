#pragma once
// "http[s]://host[:port]/path?query" taken apart for dialling, and where a redirect leads.

#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::http {

struct Url {
  bool secure = false;    // https
  std::string host;       // without brackets
  std::string port;       // "80"
  std::string authority;  // for the Host header
  std::string target;     // "/path?query"
};

// kInvalidArgument for other schemes, user names, control characters and malformed hosts or ports.
Result<Url> ParseUrl(std::string_view text);

// The same for a connection that stands already: "/path" alone will do, too.
Result<Url> ParseUrlOrPath(std::string_view text);

// Where the Location header `location` in an answer of `from` leads. kUnavailable for none.
Result<Url> ResolveRedirect(const Url& from, std::string_view location);

}  // namespace viv::http
