#include "http/url.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/text.h"

namespace viv::http {
namespace {

bool IsPlainUrl(std::string_view text) {
  for (unsigned char c : text) {
    if (c <= ' ' || c == 0x7f) return false;
  }
  return !text.empty();
}

bool IsUrlPort(std::string_view text) {
  std::uint16_t port = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port > 0;
}

// Splits "host", "host:port" or "[::1]:port".
bool SplitAuthority(std::string_view authority, Url& url) {
  std::string_view host = authority.substr(0, authority.find(':'));
  std::string_view rest = authority.substr(host.size());
  if (authority.starts_with('[')) {
    std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return false;
    host = authority.substr(1, bracket - 1);
    rest = authority.substr(bracket + 1);
  }
  url.host.assign(host);
  if (!rest.empty()) {
    if (rest.front() != ':') return false;
    url.port.assign(rest.substr(1));
  }
  return !host.empty() && host.find('@') == std::string_view::npos && IsUrlPort(url.port);
}

}  // namespace

Result<Url> ParseUrl(std::string_view text) {
  constexpr std::string_view kScheme = "http://";
  if (!EqualsIgnoreCase(text.substr(0, kScheme.size()), kScheme) || !IsPlainUrl(text)) {
    return Fail(ErrorCode::kInvalidArgument, "not an http:// URL");
  }
  text.remove_prefix(kScheme.size());
  text = text.substr(0, text.find('#'));
  std::size_t end = std::min(text.find_first_of("/?"), text.size());
  Url url{.host = {}, .port = "80", .authority = std::string(text.substr(0, end)), .target = "/"};
  if (end < text.size()) url.target.assign(text.substr(end));
  if (url.target.front() == '?') url.target.insert(0, "/");
  if (!SplitAuthority(url.authority, url)) {
    return Fail(ErrorCode::kInvalidArgument, "the URL's host or port is malformed");
  }
  return url;
}

Result<Url> ParseUrlOrPath(std::string_view text) {
  if (!text.starts_with('/')) return ParseUrl(text);
  return ParseUrl("http://localhost" + std::string(text));
}

}  // namespace viv::http
