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

}  // namespace

bool IsAllowed(const OriginPolicy& policy, const http::Request& request) {
  std::string_view host = request.headers.Get("host");
  if (policy.loopback_only && !IsThisMachine(host)) return false;
  std::string_view origin = request.headers.Get("origin");
  if (origin.empty()) return true;
  const auto& allowed = policy.allowed_origins;
  if (std::find(allowed.begin(), allowed.end(), origin) != allowed.end()) return true;
  std::size_t scheme = origin.find("://");
  if (scheme == std::string_view::npos) return false;
  std::string_view origin_host = origin.substr(scheme + 3);
  return IsThisMachine(origin_host) ||
         (!policy.loopback_only && EqualsIgnoreCase(origin_host, host));
}

}  // namespace viv::mcp
