#include "network/dial.h"

#include <algorithm>

#include "network/dns_name.h"
#include "network/policy_entry.h"
#include "network/socks.h"

namespace viv::network {
namespace {

constexpr auto kDialTimeout = std::chrono::seconds(10);
constexpr DnsType kProxyAddressTypes[] = {DnsType::kA, DnsType::kAaaa};
constexpr std::uint32_t kProxyTtlSecondsMin = 5, kProxyTtlSecondsMax = 60;

Task<Result<DnsReply>> QueryProxyHost(Loop& loop, std::string host, DnsType type) {
  auto name = DnsNameFromText(host);
  if (!name || !IsHostName(host))
    co_return Fail(ErrorCode::kInvalidArgument, "the proxy's host is no host name");
  DnsQuestion question{*name, type, host};
  auto reply = co_await loop.resolver.Resolve(std::move(question));
  if (!reply) co_return PassUp(std::move(reply).error());
  std::erase_if(reply->answers, [](const DnsRecord& record) {
    return record.type != DnsType::kA && record.type != DnsType::kAaaa;
  });
  co_return reply;
}

Endpoint EndpointOfProxy(const SocksProxy& proxy, const DnsRecord& record) {
  return {AddressFromRaw(record.data), proxy.port};
}

// Chooses the first address of the reply that may be dialled.
Result<ResolvedProxy> ChooseAddress(const Box& box,
                                    const SocksProxy& proxy,
                                    const DnsReply& reply) {
  for (const DnsRecord& record : reply.answers) {
    const Endpoint endpoint = EndpointOfProxy(proxy, record);
    if (box.loop.limits.IsClosedPrivate(endpoint) || !IsRoutable(endpoint.address)) continue;
    auto lifetime = std::chrono::seconds(
        std::clamp(record.ttl_seconds, kProxyTtlSecondsMin, kProxyTtlSecondsMax));
    return ResolvedProxy{endpoint, ResolvedNames::Time::clock::now() + lifetime};
  }
  if (!reply.answers.empty())
    return Fail(ErrorCode::kPermissionDenied,
                "the proxy " + proxy.host + " has no address that may be dialled");
  return Fail(ErrorCode::kUnavailable, "the proxy " + proxy.host + " has no address");
}

Task<Result<ResolvedProxy>> ResolveProxy(std::shared_ptr<Box> box, SocksProxy proxy) {
  Result<ResolvedProxy> found = Fail(ErrorCode::kUnavailable, "");
  for (DnsType type : kProxyAddressTypes) {
    auto reply = co_await QueryProxyHost(box->loop, proxy.host, type);
    if (!reply) co_return PassUp(std::move(reply).error(), "resolve the proxy " + proxy.host);
    auto chosen = ChooseAddress(*box, proxy, *reply);
    // A forbidden address explains more than the absence of the other kind.
    if (chosen || found.error().code != ErrorCode::kPermissionDenied) found = std::move(chosen);
    if (found) break;
  }
  co_return found;
}

Status CheckProxyEndpoint(const Loop& loop, const SocksProxy& proxy, const Endpoint& endpoint) {
  if (!loop.limits.IsClosedPrivate(endpoint)) return {};
  return Fail(ErrorCode::kPermissionDenied, proxy.host + " resolves to " + endpoint.address.Text());
}

Task<Result<Endpoint>> FindProxy(std::shared_ptr<Box> box, SocksProxy proxy) {
  if (auto address = ParseAddress(proxy.host)) {
    Endpoint endpoint{*address, proxy.port};
    if (box->loop.limits.IsClosedPrivate(endpoint))
      co_return Fail(ErrorCode::kPermissionDenied,
                     "the proxy " + proxy.host + " is a private address; use a public one");
    co_return endpoint;
  }
  if (box->resolved_proxy && box->resolved_proxy->until > ResolvedNames::Time::clock::now())
    co_return box->resolved_proxy->endpoint;
  auto found = co_await ResolveProxy(box, proxy);
  if (!found) co_return PassUp(std::move(found).error());
  if (box->proxy == proxy) box->resolved_proxy = *found;  // unless it was replaced meanwhile
  co_return found->endpoint;
}

}  // namespace

Task<Status> CheckProxyAddresses(Loop& loop, SocksProxy proxy) {
  if (auto address = ParseAddress(proxy.host)) {
    const Endpoint endpoint{*address, proxy.port};
    co_return CheckProxyEndpoint(loop, proxy, endpoint);
  }
  bool any = false;
  for (DnsType type : kProxyAddressTypes) {
    auto reply = co_await QueryProxyHost(loop, proxy.host, type);
    if (!reply && any) break;  // one kind of address is enough
    if (!reply) co_return PassUp(std::move(reply).error());
    for (const DnsRecord& record : reply->answers) {
      CO_RETURN_IF_ERROR(CheckProxyEndpoint(loop, proxy, EndpointOfProxy(proxy, record)));
    }
    any |= !reply->answers.empty();
    if (reply->code == DnsCode::kNoName) break;
  }
  if (!any) co_return Fail(ErrorCode::kUnavailable, "no such host");
  co_return Status();
}

Task<Result<Stream>> DialFor(std::shared_ptr<Box> box, Endpoint destination, std::string name) {
  if (!box->proxy) co_return co_await DialOut(box->loop.context(), destination, kDialTimeout);
  SocksProxy proxy = *box->proxy;  // it may be replaced while we wait
  ASSIGN_OR_CO_RETURN(Endpoint endpoint, co_await FindProxy(box, proxy));
  auto connection = co_await DialOut(box->loop.context(), endpoint, kDialTimeout);
  if (!connection) co_return PassUp(std::move(connection).error(), "proxy");
  CO_RETURN_IF_ERROR(co_await ConnectThroughSocks(*connection, proxy, std::move(name), destination),
                     "proxy");
  co_return *std::move(connection);
}

}  // namespace viv::network
