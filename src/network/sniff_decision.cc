// Decides whether a connection's first bytes agree with its destination.

#include <algorithm>

#include "base/text.h"
#include "network/policy_entry.h"
#include "network/sniff.h"

namespace viv::network {
namespace {

using Action = SniffDecision::Action;

HostDecision DeniedHost(std::string reason) {
  return {false, "", std::move(reason)};
}

HostDecision DecideByPolicy(const Flow& flow, const std::vector<std::string>& names) {
  Decision decision = flow.box->Decide(flow.destination, names);
  HostDecision host{decision.allowed, std::move(decision.rule), ""};
  if (!host.allowed) host.reason = "the network policy of the box refuses it";
  return host;
}

SniffDecision RefuseConnection(std::string reason, std::string rule = {}) {
  return {Action::kRefuse, "", std::move(rule), std::move(reason)};
}

bool IsInterceptedHost(const Flow& flow, std::string_view host) {
  return flow.box->interceptor != nullptr && flow.box->interceptor->InterceptsHost(host);
}

constexpr const char* kEncryptedName =
    "the server name is encrypted (ECH) where rules go by names; turn ECH off";

// Without a name nobody can tell which host it is for. If the rules contain names, the address
// itself has to be allowed.
SniffDecision DecideTlsWithoutName(const Flow& flow, const FirstBytes& first_bytes) {
  constexpr const char* kNoName = "TLS without a server name (SNI); send the host's name";
  if (MayNeedInterception(flow)) return RefuseConnection(kNoName);
  if (!flow.box->rules.HasNameEntries()) return {};
  if (first_bytes.has_encrypted_name) return RefuseConnection(kEncryptedName);
  HostDecision bare = DecideByPolicy(flow, {});
  return bare.allowed ? SniffDecision() : RefuseConnection(kNoName, std::move(bare.rule));
}

SniffDecision DecideTls(const Flow& flow, const FirstBytes& first_bytes) {
  if (first_bytes.host.empty()) return DecideTlsWithoutName(flow, first_bytes);
  HostDecision host = DecideHost(flow, first_bytes.host);
  if (!host.allowed) return RefuseConnection(std::move(host.reason), std::move(host.rule));
  if (IsInterceptedHost(flow, first_bytes.host))
    return {Action::kIntercept, first_bytes.host, std::move(host.rule), ""};
  if (first_bytes.has_encrypted_name && flow.box->rules.HasNameEntries())
    return RefuseConnection(kEncryptedName);
  return {Action::kPass, first_bytes.host, std::move(host.rule), ""};
}

SniffDecision DecideHttp(const Flow& flow, const FirstBytes& first_bytes) {
  SniffDecision decision;
  if (!first_bytes.host.empty()) {
    HostDecision host = DecideHost(flow, first_bytes.host);
    if (!host.allowed) return RefuseConnection(std::move(host.reason), std::move(host.rule));
    decision.name = first_bytes.host;
    decision.rule = std::move(host.rule);
  }
  if (flow.box->interceptor != nullptr) decision.action = Action::kIntercept;
  return decision;
}

}  // namespace

bool MayNeedInterception(const Flow& flow) {
  return std::any_of(flow.resolved_names.begin(), flow.resolved_names.end(),
                     [&](const std::string& name) { return IsInterceptedHost(flow, name); });
}

HostDecision DecideHost(const Flow& flow, std::string_view asked) {
  const Box& box = *flow.box;
  if (asked.starts_with('[') && asked.ends_with(']')) asked = asked.substr(1, asked.size() - 2);
  if (auto address = ParseAddress(asked)) {
    if (*address == flow.destination.address) return DecideByPolicy(flow, {});
    return DeniedHost("it asks for another address than it is connected to");
  }
  std::string host = ToLower(WithoutTrailingDot(asked));
  auto is_one_of = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), host) != names.end();
  };
  if (is_one_of(flow.resolved_names)) return DecideByPolicy(flow, {host});
  // The guest may have resolved it since it connected.
  auto now = ResolvedNames::Time::clock::now();
  if (is_one_of(box.resolved_names.NamesOf(flow.destination.address, now)))
    return DecideByPolicy(flow, {host});
  if (!flow.resolved_names.empty())
    return DeniedHost("it asks for a host that was not resolved to the address it is connected to");
  if (box.rules.HasEntryForHost(host, flow.destination.port) || IsInterceptedHost(flow, host))
    return DeniedHost("a literal address where a name rule would apply; connect by the name");
  return DecideByPolicy(flow, {host});
}

SniffDecision DecideByFirstBytes(const Flow& flow, const FirstBytes& first_bytes) {
  switch (first_bytes.kind) {
    case FirstBytes::Kind::kTls:
      return DecideTls(flow, first_bytes);
    case FirstBytes::Kind::kHttp:
      return DecideHttp(flow, first_bytes);
    case FirstBytes::Kind::kHttp2:
      if (!MayNeedInterception(flow) && !flow.box->rules.HasNameEntries()) return {};
      return RefuseConnection("HTTP/2 without TLS; use https, or HTTP/1.1");
    case FirstBytes::Kind::kNeedsMore:  // the guest will send no more
    case FirstBytes::Kind::kMalformed:
      if (!MayNeedInterception(flow) && !flow.box->rules.HasNameEntries()) return {};
      return RefuseConnection("what it sent first is neither whole TLS nor a proper HTTP request");
    case FirstBytes::Kind::kOther:
      break;
  }
  return {};
}

}  // namespace viv::network
