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
  // User names and passwords are refused, as they would be sent to nobody. RFC 3986 has no
  // backslash, which some programs take for a slash: they would see another host.
  return !host.empty() && authority.find_first_of("@\\") == std::string_view::npos &&
         IsUrlPort(url.port);
}

}  // namespace

Result<Url> ParseUrl(std::string_view text) {
  const std::string scheme = ToLower(text.substr(0, std::min<std::size_t>(text.find(':'), 8)));
  Url url;
  url.secure = scheme == "https";
  url.port = url.secure ? "443" : "80";
  if ((scheme != "http" && !url.secure) || text.substr(scheme.size(), 3) != "://" ||
      !IsPlainUrl(text)) {
    return Fail(ErrorCode::kInvalidArgument, "not an http:// or https:// URL");
  }
  text.remove_prefix(scheme.size() + 3);
  text = text.substr(0, text.find('#'));
  const std::size_t end = std::min(text.find_first_of("/?"), text.size());
  url.authority.assign(text.substr(0, end));
  url.target.assign(text.substr(end));
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  if (!SplitAuthority(url.authority, url)) {
    return Fail(ErrorCode::kInvalidArgument, "the URL's host or port is malformed");
  }
  return url;
}

Result<Url> ParseUrlOrPath(std::string_view text) {
  if (!text.starts_with('/')) return ParseUrl(text);
  return ParseUrl("http://localhost" + std::string(text));
}

Result<Url> ResolveRedirect(const Url& from, std::string_view location) {
  location = Trim(location);
  if (location.empty()) return Fail(ErrorCode::kUnavailable, "the answer is a redirect to nowhere");
  const std::string scheme = from.secure ? "https" : "http";
  if (location.starts_with("//")) return ParseUrl(scheme + ":" + std::string(location));
  if (location.find("://") != std::string_view::npos && location.front() != '/')
    return ParseUrl(location);
  std::string base = scheme + "://" + from.authority;
  if (!location.starts_with('/')) {
    const std::string_view folder = std::string_view(from.target).substr(0, from.target.find('?'));
    base += folder.substr(0, folder.rfind('/') + 1);
  }
  return ParseUrl(base + std::string(location));
}

}  // namespace viv::http
