#include "network/policy.h"

#include "base/text.h"

namespace viv::network {
namespace {

using Ports = PortQuestion::Kind;

constexpr std::size_t kShownEntryBytesMax = 300;

Result<PolicyList> CompileList(const std::vector<std::string>& entries, std::string_view which) {
  PolicyList list;
  for (const std::string& entry : entries)
    RETURN_IF_ERROR(list.Add(entry), "invalid " + std::string(which) + " entry " +
                                         Printable(entry, kShownEntryBytesMax));
  list.Finish();
  return list;
}

bool Covers(const PolicyList& list,
            std::string_view host,
            const Address& address,
            PortQuestion ports) {
  if (list.CoversAddress(address, ports)) return true;
  return host.empty() ? list.CoversBare(address, ports) : list.CoversHost(host, ports);
}

}  // namespace

EntryKind KindOf(std::string_view entry) {
  if (ParseAddress(entry)) return EntryKind::kAddress;
  auto read = ReadPolicyEntry(entry);
  if (!read || read->port != 0 || entry.starts_with('[')) return EntryKind::kNothing;
  if (read->kind == PolicyEntry::Kind::kBlock) return EntryKind::kBlock;
  bool name =
      read->kind == PolicyEntry::Kind::kHost || read->kind == PolicyEntry::Kind::kSubdomains;
  return name ? EntryKind::kName : EntryKind::kNothing;
}

Result<Rules> Rules::Compile(const Policy& policy) {
  if (policy.allow.size() + policy.deny.size() > kPolicyEntriesMax)
    return Fail(ErrorCode::kInvalidArgument,
                "a network policy has at most " + std::to_string(kPolicyEntriesMax) + " entries");
  Rules rules;
  rules.internet_ = policy.internet;
  ASSIGN_OR_RETURN(rules.allow_, CompileList(policy.allow, "allowed"));
  ASSIGN_OR_RETURN(rules.deny_, CompileList(policy.deny, "denied"));
  return rules;
}

bool Rules::Decide(std::string_view host,
                   const Address& address,
                   PortQuestion allow,
                   PortQuestion deny) const {
  if (Covers(allow_, host, address, allow)) return true;
  if (!internet_ || Covers(deny_, host, address, deny)) return false;
  // A denied IPv4 address is denied through a translator as well.
  auto translated = address.Translated();
  return !translated || !Covers(deny_, host, *translated, deny);
}

bool Rules::Allows(std::string_view name, const Address& address, std::uint16_t port) const {
  PortQuestion ports{Ports::kOne, port};
  return Decide(ToLower(WithoutTrailingDot(name)), address, ports, ports);
}

bool Rules::Allows(std::string_view name, std::string_view address, std::uint16_t port) const {
  auto parsed = ParseAddress(address);
  return parsed && Allows(name, *parsed, port);
}

bool Rules::AllowsSomePort(const Address& address) const {
  return Decide("", address, {Ports::kSome}, {Ports::kEvery});
}

bool Rules::MayResolve(std::string_view name) const {
  std::string host = ToLower(WithoutTrailingDot(name));
  if (allow_.has_everything() || allow_.CoversHost(host, {Ports::kSome})) return true;
  if (!internet_ || deny_.has_everything()) return false;
  return !deny_.CoversHost(host, {Ports::kEvery});
}

bool IsPrivateAddress(std::string_view address) {
  auto parsed = ParseAddress(address);
  return !parsed || parsed->IsPrivate();
}

}  // namespace viv::network
