#include "dialects/langsmith/web_url.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "network/address.h"
#include "network/policy_entry.h"

namespace viv::langsmith {
namespace {

constexpr std::size_t kWebUrlBytesMax = 2048;

bool IsWebPort(std::string_view digits) {
  std::uint32_t port = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return error == std::errc() && end == digits.data() + digits.size() && port > 0 && port < 65'536;
}

// The host of "host[:port]" or "[v6][:port]".
std::optional<std::string> HostOfAuthority(std::string_view authority) {
  std::string_view host = authority;
  std::string_view rest;
  if (authority.starts_with('[')) {
    std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    host = authority.substr(1, close - 1);
    rest = authority.substr(close + 1);
    auto address = network::ParseAddress(host);
    if (!address || host.find(':') == std::string_view::npos) return std::nullopt;
  } else {
    std::size_t colon = authority.find(':');
    host = authority.substr(0, colon);
    if (colon != std::string_view::npos) rest = authority.substr(colon);
    if (!network::ParseAddress(host) && !network::IsHostName(host)) return std::nullopt;
  }
  if (!rest.empty() && (rest.front() != ':' || !IsWebPort(rest.substr(1)))) return std::nullopt;
  return ToLower(host);
}

}  // namespace

std::optional<WebUrl> ParseWebUrl(std::string_view text) {
  bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (!plain || text.size() > kWebUrlBytesMax) return std::nullopt;
  WebUrl url;
  std::size_t colon = text.find("://");
  if (colon == std::string_view::npos) return std::nullopt;
  std::string scheme = ToLower(text.substr(0, colon));
  if (scheme != "http" && scheme != "https") return std::nullopt;
  url.tls = scheme == "https";
  text.remove_prefix(colon + 3);
  std::string_view authority = text.substr(0, text.find_first_of("/?#"));
  text.remove_prefix(authority.size());
  if (std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    url.has_credentials = true;
    authority.remove_prefix(at + 1);
  }
  auto host = HostOfAuthority(authority);
  if (!host) return std::nullopt;
  url.host = *std::move(host);
  std::size_t path_end = text.find_first_of("?#");
  url.path = text.substr(0, path_end);
  url.has_query = path_end != std::string_view::npos;
  return url;
}

}  // namespace viv::langsmith
