#include "dialects/e2b/egress_proxy.h"

#include <charconv>
#include <string>

#include "base/text.h"
#include "dialects/e2b/errors.h"
#include "network/address.h"
#include "network/policy_entry.h"

namespace viv::e2b {
namespace {

constexpr std::size_t kCredentialBytesMax = 255;  // RFC 1929

tl::unexpected<Error> BadProxy(std::string why) {
  return Fail(ErrorCode::kInvalidArgument, "Invalid egress proxy config: " + why);
}

struct ProxyAddress {
  std::string_view host, port;
};

// Never repeats the address, in which somebody may have written a password.
Result<ProxyAddress> SplitProxyAddress(std::string_view address) {
  auto bad = [](std::string why) {
    return BadProxy("egress proxy address must be in host:port form: " + why);
  };
  if (address.empty()) return BadProxy("egress proxy address must not be empty");
  if (address.find('@') != std::string_view::npos)
    return bad("username and password are members of their own");
  const std::size_t close = address.starts_with('[') ? address.find(']') : std::string_view::npos;
  if (address.starts_with('[') && close == std::string_view::npos)
    return bad("missing ']' in address");
  const std::size_t colon = address.find(':', close == std::string_view::npos ? 0 : close);
  if (colon == std::string_view::npos) return bad("missing port in address");
  if (address.find(':', colon + 1) != std::string_view::npos)
    return bad("too many colons in address");
  std::string_view host = address.substr(0, colon);
  if (close == colon - 1 && close != std::string_view::npos) host = host.substr(1, close - 1);
  if (host.find_first_of("[]") != std::string_view::npos)
    return bad("unexpected bracket in address");
  return ProxyAddress{host, address.substr(colon + 1)};
}

// "Proxy.Example.com:1080" as it is kept: in lower case.
Result<std::string> ReadProxyAddress(std::string_view given) {
  ASSIGN_OR_RETURN(ProxyAddress address, SplitProxyAddress(Trim(given)));
  std::string host = ToLower(Trim(address.host));
  if (host.empty()) return BadProxy("egress proxy host must not be empty");
  std::uint16_t port = 0;
  const char* end = address.port.data() + address.port.size();
  auto read = std::from_chars(address.port.data(), end, port);
  if (read.ec != std::errc() || read.ptr != end || port == 0)
    return BadProxy("egress proxy port " + Quoted(address.port) + " is not a valid 1-65535 value");
  if (!network::ParseAddress(host) && !network::IsHostName(host))
    return BadProxy("resolve egress proxy host " + Quoted(host) + ": it is no name of a host");
  if (host.find(':') != std::string::npos) host = '[' + host + ']';
  return host + ':' + std::to_string(port);
}

Status CheckCredentials(const std::string& username, const std::string& password) {
  if (username.empty() && !password.empty())
    return BadProxy("egress proxy password must be empty when username is empty");
  if (username.size() > kCredentialBytesMax)
    return BadProxy("egress proxy username must not exceed 255 bytes");
  if (password.size() > kCredentialBytesMax)
    return BadProxy("egress proxy password must not exceed 255 bytes");
  return {};
}

// Newer clients may ask for TLS toward the proxy. To go without it would show the password to
// everybody on the way.
void RefuseProxyTls(http::Fields& members) {
  const json::object* tls = members.Object("tls");
  if (tls == nullptr) return;
  http::Fields settings(*tls, "egressProxy.tls");
  if (settings.Flag("enabled").value_or(true))
    members.RefuseField("tls", "TLS toward the proxy is not available here; leave it out");
}

}  // namespace

std::optional<gateway::UpstreamProxy> ReadEgressProxy(http::Fields& fields,
                                                      const AccountSealer& sealer) {
  const json::object* given = fields.Object("egressProxy");
  if (given == nullptr) return std::nullopt;
  http::Fields members(*given, "egressProxy");
  gateway::UpstreamProxy proxy;
  const std::string written = members.Text("address").value_or("");
  proxy.username = members.Text("username").value_or("");
  std::string password = members.Text("password").value_or("");
  auto address = ReadProxyAddress(written);
  if (!address) members.Refuse(address.error().message);
  Status credentials = CheckCredentials(proxy.username, password);
  if (!credentials) members.Refuse(credentials.error().message);
  RefuseProxyTls(members);
  if (!members.ok()) {
    fields.Refuse(members.error().message);
    return std::nullopt;
  }
  proxy.address = *std::move(address);
  if (!password.empty()) proxy.password = sealer.Seal("e2b.proxy", password);
  return proxy;
}

Task<Status> CheckEgressProxy(boxes::Boxes& boxes, std::optional<gateway::UpstreamProxy> proxy) {
  if (!proxy) co_return Status();
  Status checked = co_await boxes.CheckProxy(proxy->address);
  if (checked) co_return Status();
  const std::string& why = checked.error().message;
  if (checked.error().code == ErrorCode::kPermissionDenied)
    co_return BadProxy("egress proxy endpoint resolves to an internal / denied IP range: " + why);
  const std::string host = proxy->address.substr(0, proxy->address.rfind(':'));
  co_return BadProxy("resolve egress proxy host " + Quoted(host) + ": " + why);
}

json::object ShowEgressProxy(const gateway::UpstreamProxy& proxy) {
  json::object shown{{"address", proxy.address}};
  if (!proxy.username.empty()) shown["username"] = proxy.username;
  return shown;
}

}  // namespace viv::e2b
