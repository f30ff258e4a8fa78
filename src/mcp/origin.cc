#include "mcp/origin.h"

#include <algorithm>

#include "base/text.h"

namespace viv::mcp {
namespace {

// "host:port" or "[::1]:port" without the port.
std::string_view HostName(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool IsThisMachine(std::string_view host) {
  std::string_view name = HostName(host);
  return EqualsIgnoreCase(name, "localhost") || name == "[::1]" || name == "127.0.0.1" ||
         ToLower(name).ends_with(".localhost");
}

// "https://viv.example:8443" of "https://viv.example:8443/path".
std::string_view OriginOfUrl(std::string_view url) {
  std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  return url.substr(0, url.find('/', scheme + 3));
}

std::string_view AuthorityOf(std::string_view origin) {
  std::size_t scheme = origin.find("://");
  return scheme == std::string_view::npos ? std::string_view() : origin.substr(scheme + 3);
}

bool IsHostAllowed(const OriginPolicy& policy, std::string_view host) {
  if (!policy.loopback_only || IsThisMachine(host)) return true;
  // Another port of the public host is as good: what a rebinding page lacks is the name.
  std::string_view known = HostName(AuthorityOf(OriginOfUrl(policy.public_url)));
  return !known.empty() && EqualsIgnoreCase(HostName(host), known);
}

bool IsOriginAllowed(const OriginPolicy& policy, std::string_view host, std::string_view origin) {
  if (origin.empty()) return true;
  const auto& allowed = policy.allowed_origins;
  if (std::find(allowed.begin(), allowed.end(), origin) != allowed.end()) return true;
  if (AuthorityOf(origin).empty()) return false;
  if (EqualsIgnoreCase(origin, OriginOfUrl(policy.public_url))) return true;
  return IsThisMachine(AuthorityOf(origin)) ||
         (!policy.loopback_only && EqualsIgnoreCase(AuthorityOf(origin), host));
}

}  // namespace

bool IsAllowed(const OriginPolicy& policy, const http::Request& request) {
  std::string_view host = request.headers.Get("host");
  return IsHostAllowed(policy, host) &&
         IsOriginAllowed(policy, host, request.headers.Get("origin"));
}

std::string WhyNotAllowed(const OriginPolicy& policy, const http::Request& request) {
  std::string_view host = request.headers.Get("host");
  if (!IsHostAllowed(policy, host)) {
    return "Host '" + Printable(host) +
           "' is not this server's: behind a proxy, start it with --public-url and the URL that "
           "clients use";
  }
  return "Origin '" + Printable(request.headers.Get("origin")) +
         "' is not allowed: --allow-origin allows a web page's origin to call MCP servers";
}

}  // namespace viv::mcp
