#include <algorithm>
#include <charconv>

#include "base/base64.h"
#include "base/text.h"
#include "dialects/recoup/download.h"

namespace viv::recoup {
namespace {

constexpr std::size_t kWebUrlBytesMax = 8192;

bool IsPlainByte(char c) {
  return static_cast<unsigned char>(c) > ' ' && c != 0x7f;
}

bool IsWebPort(std::string_view text) {
  std::uint16_t port = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port > 0;
}

// "host", "host:port" or "[::1]:port"; user names are refused, as they would be sent to nobody.
bool SplitWebAuthority(std::string_view authority, WebUrl& url) {
  std::string_view host = authority.substr(0, authority.find(':'));
  std::string_view rest = authority.substr(host.size());
  if (authority.starts_with('[')) {
    std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return false;
    host = authority.substr(1, bracket - 1);
    rest = authority.substr(bracket + 1);
  }
  if (!rest.empty()) {
    if (!rest.starts_with(':')) return false;
    url.port = rest.substr(1);
  }
  url.host = host;
  return !host.empty() && authority.find('@') == std::string_view::npos && IsWebPort(url.port);
}

}  // namespace

Result<WebUrl> ParseWebUrl(std::string_view text) {
  WebUrl url;
  const std::string scheme = ToLower(text.substr(0, std::min<std::size_t>(text.find(':'), 8)));
  url.secure = scheme == "https";
  url.port = url.secure ? "443" : "80";
  if ((scheme != "http" && !url.secure) || text.substr(scheme.size(), 3) != "://" ||
      text.size() > kWebUrlBytesMax || !std::all_of(text.begin(), text.end(), IsPlainByte))
    return Fail(ErrorCode::kInvalidArgument, "an http://, https:// or data: URL is expected");
  text.remove_prefix(scheme.size() + 3);
  text = text.substr(0, text.find('#'));
  const std::size_t end = std::min(text.find_first_of("/?\\"), text.size());
  url.authority = text.substr(0, end);
  url.target = text.substr(end);
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  if (!SplitWebAuthority(url.authority, url))
    return Fail(ErrorCode::kInvalidArgument, "the URL's host or port is malformed");
  return url;
}

Result<WebUrl> ResolveRedirect(const WebUrl& from, std::string_view location) {
  location = Trim(location);
  if (location.empty()) return Fail(ErrorCode::kUnavailable, "the answer is a redirect to nowhere");
  const std::string scheme = from.secure ? "https" : "http";
  if (location.starts_with("//")) return ParseWebUrl(scheme + ":" + std::string(location));
  if (location.find("://") != std::string_view::npos && location.front() != '/')
    return ParseWebUrl(location);
  std::string base = scheme + "://" + from.authority;
  if (!location.starts_with('/')) {
    std::string_view folder = std::string_view(from.target).substr(0, from.target.find('?'));
    base += folder.substr(0, folder.rfind('/') + 1);
  }
  return ParseWebUrl(base + std::string(location));
}

std::optional<std::string> BytesOfDataUrl(std::string_view url) {
  constexpr std::string_view kScheme = "data:";
  if (!EqualsIgnoreCase(url.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  const std::size_t comma = url.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  std::string_view head = url.substr(kScheme.size(), comma - kScheme.size());
  std::optional<std::string> bytes = PercentDecode(url.substr(comma + 1));
  if (!bytes || !ToLower(head).ends_with(";base64")) return bytes;
  return DecodeBase64(*bytes);
}

}  // namespace viv::recoup
