#include "server/forwarded.h"

#include <memory>

#include "base/text.h"

namespace viv::server {
namespace {

constexpr std::size_t kForwardedHostMax = 255;

// The last item of a list: items before it may come from the client.
std::string_view LastItem(std::string_view list) {
  std::size_t comma = list.rfind(',');
  return Trim(comma == std::string_view::npos ? list : list.substr(comma + 1));
}

// Whether Host is an address or localhost, which an attacker cannot choose.
bool IsAddressOrLocalhost(std::string_view host) {
  if (host.starts_with('[')) {
    std::size_t bracket = host.find(']');
    return bracket != std::string_view::npos &&
           network::ParseAddress(host.substr(1, bracket - 1)).has_value();
  }
  std::string_view name = host.substr(0, host.find(':'));
  return EqualsIgnoreCase(name, "localhost") || network::ParseAddress(name).has_value();
}

void ApplyForwarded(http::Request& request) {
  std::string_view scheme = LastItem(request.headers.Get("x-forwarded-proto"));
  if (EqualsIgnoreCase(scheme, "https")) request.secure = true;
  if (EqualsIgnoreCase(scheme, "http")) request.secure = false;
  std::string host(LastItem(request.headers.Get("x-forwarded-host")));
  if (host.empty() || host.size() > kForwardedHostMax) return;
  if (IsAddressOrLocalhost(request.headers.Get("host")))
    request.headers.Set("Host", std::move(host));
}

}  // namespace

Result<TrustedProxies> TrustedProxies::Read(const std::vector<std::string>& list) {
  TrustedProxies proxies;
  for (const std::string& text : list) {
    auto entry = network::ParsePolicyEntry(text);
    if (!entry || entry->kind != network::PolicyEntry::Kind::kBlock || entry->block.port != 0) {
      return Fail(ErrorCode::kInvalidArgument,
                  "trusted_proxies: an address or a block such as 10.0.0.0/8 is expected, not '" +
                      text + "'");
    }
    proxies.blocks_.push_back(entry->block);
  }
  return proxies;
}

bool TrustedProxies::Contains(std::string_view remote) const {
  auto address = network::ParseAddress(remote);
  if (!address) return false;
  for (const network::AddressBlock& block : blocks_)
    if (block.Contains(*address)) return true;
  return false;
}

http::Middleware Forwarded(TrustedProxies proxies) {
  return [proxies = std::move(proxies)](http::Handler next) -> http::Handler {
    return [proxies, next = std::move(next)](http::Request& request) {
      if (proxies.Contains(request.remote)) ApplyForwarded(request);
      return next(request);
    };
  };
}

}  // namespace viv::server
