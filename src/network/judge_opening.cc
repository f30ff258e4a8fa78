// The rules by which an opening agrees with a connection, or does not.

#include <algorithm>

#include "base/text.h"
#include "network/policy_entry.h"
#include "network/sniff.h"

namespace viv::network {
namespace {

using Act = OpeningRuling::Act;

HostRuling DeniedHost(std::string reason) {
  return {false, "", std::move(reason)};
}

HostRuling ByPolicy(const Flow& flow, const std::vector<std::string>& names) {
  Ruling ruling = flow.box->Judge(flow.destination, names);
  HostRuling host{ruling.allowed, std::move(ruling.rule), ""};
  if (!host.allowed) host.reason = "the network policy of the box refuses it";
  return host;
}

OpeningRuling RefusedOpening(std::string reason, std::string rule = {}) {
  return {Act::kRefuse, "", std::move(rule), std::move(reason)};
}

bool InterceptorNames(const Flow& flow, std::string_view host) {
  return flow.box->interceptor != nullptr && flow.box->interceptor->Names(host);
}

constexpr const char* kHiddenName =
    "the server name is encrypted (ECH) where rules go by names; turn ECH off";

// Nobody can tell whom it is for, so where names decide the address itself has to be allowed.
OpeningRuling JudgeNamelessTls(const Flow& flow, const Opening& opening) {
  constexpr const char* kNoName = "TLS without a server name (SNI); send the host's name";
  if (MayHaveToBeIntercepted(flow)) return RefusedOpening(kNoName);
  if (!flow.box->rules.HasNames()) return {};
  if (opening.hides_its_name) return RefusedOpening(kHiddenName);
  HostRuling bare = ByPolicy(flow, {});
  return bare.allowed ? OpeningRuling() : RefusedOpening(kNoName, std::move(bare.rule));
}

OpeningRuling JudgeTls(const Flow& flow, const Opening& opening) {
  if (opening.host.empty()) return JudgeNamelessTls(flow, opening);
  HostRuling host = JudgeHost(flow, opening.host);
  if (!host.allowed) return RefusedOpening(std::move(host.reason), std::move(host.rule));
  if (InterceptorNames(flow, opening.host))
    return {Act::kIntercept, opening.host, std::move(host.rule), ""};
  if (opening.hides_its_name && flow.box->rules.HasNames()) return RefusedOpening(kHiddenName);
  return {Act::kPass, opening.host, std::move(host.rule), ""};
}

OpeningRuling JudgeHttp(const Flow& flow, const Opening& opening) {
  OpeningRuling ruling;
  if (!opening.host.empty()) {
    HostRuling host = JudgeHost(flow, opening.host);
    if (!host.allowed) return RefusedOpening(std::move(host.reason), std::move(host.rule));
    ruling.name = opening.host;
    ruling.rule = std::move(host.rule);
  }
  if (flow.box->interceptor != nullptr) ruling.act = Act::kIntercept;
  return ruling;
}

}  // namespace

bool MayHaveToBeIntercepted(const Flow& flow) {
  return std::any_of(flow.names.begin(), flow.names.end(),
                     [&](const std::string& name) { return InterceptorNames(flow, name); });
}

HostRuling JudgeHost(const Flow& flow, std::string_view asked) {
  const Box& box = *flow.box;
  if (asked.starts_with('[') && asked.ends_with(']')) asked = asked.substr(1, asked.size() - 2);
  if (auto address = ParseAddress(asked)) {
    if (*address == flow.destination.address) return ByPolicy(flow, {});
    return DeniedHost("it asks for another address than it is connected to");
  }
  std::string host = ToLower(WithoutTrailingDot(asked));
  auto is_one_of = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), host) != names.end();
  };
  if (is_one_of(flow.names)) return ByPolicy(flow, {host});
  // The guest may have resolved it since it connected.
  auto now = NameMemory::Time::clock::now();
  if (is_one_of(box.names.NamesOf(flow.destination.address, now))) return ByPolicy(flow, {host});
  if (!flow.names.empty())
    return DeniedHost("it asks for a host that was not resolved to the address it is connected to");
  if (box.rules.NamesHost(host, flow.destination.port) || InterceptorNames(flow, host))
    return DeniedHost("a literal address where a name rule would apply; connect by the name");
  return ByPolicy(flow, {host});
}

OpeningRuling JudgeOpening(const Flow& flow, const Opening& opening) {
  switch (opening.kind) {
    case Opening::Kind::kTls:
      return JudgeTls(flow, opening);
    case Opening::Kind::kHttp:
      return JudgeHttp(flow, opening);
    case Opening::Kind::kHttp2:
      if (!MayHaveToBeIntercepted(flow) && !flow.box->rules.HasNames()) return {};
      return RefusedOpening("HTTP/2 without TLS; use https, or HTTP/1.1");
    case Opening::Kind::kNeedsMore:  // and no more will come
    case Opening::Kind::kBroken:
      if (!MayHaveToBeIntercepted(flow) && !flow.box->rules.HasNames()) return {};
      return RefusedOpening("what it sent first is neither whole TLS nor a proper HTTP request");
    case Opening::Kind::kOther:
      break;
  }
  return {};
}

}  // namespace viv::network
