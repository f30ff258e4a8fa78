#include "network/policy.h"

#include "base/text.h"

namespace viv::network {
namespace {

using Ports = PortFilter::Kind;

constexpr std::size_t kShownEntryBytesMax = 300;

Result<PolicyList> CompileList(const std::vector<std::string>& entries, std::string_view which) {
  PolicyList list;
  for (const std::string& entry : entries)
    RETURN_IF_ERROR(list.Add(entry), "invalid " + std::string(which) + " entry " +
                                         Printable(entry, kShownEntryBytesMax));
  list.Finish();
  return list;
}

PolicyList::Found FindEntry(const PolicyList& list,
                            std::string_view host,
                            const Address& address,
                            PortFilter ports) {
  if (auto found = list.FindAddress(address, ports)) return found;
  return host.empty() ? list.FindByAddressText(address, ports) : list.FindHost(host, ports);
}

}  // namespace

EntryKind KindOf(std::string_view entry) {
  if (ParseAddress(entry)) return EntryKind::kAddress;
  auto read = ParsePolicyEntry(entry);
  if (!read || read->port != 0 || entry.starts_with('[')) return EntryKind::kOther;
  if (read->kind == PolicyEntry::Kind::kBlock) return EntryKind::kBlock;
  bool name =
      read->kind == PolicyEntry::Kind::kHost || read->kind == PolicyEntry::Kind::kSubdomains;
  return name ? EntryKind::kName : EntryKind::kOther;
}

Result<Rules> Rules::Compile(const Policy& policy) {
  if (policy.allow.size() + policy.deny.size() > kPolicyEntriesMax)
    return Fail(ErrorCode::kInvalidArgument,
                "a network policy has at most " + std::to_string(kPolicyEntriesMax) + " entries");
  Rules rules;
  rules.internet_ = policy.internet;
  ASSIGN_OR_RETURN(rules.allow_, CompileList(policy.allow, "allowed"));
  ASSIGN_OR_RETURN(rules.deny_, CompileList(policy.deny, "denied"));
  rules.has_name_entries_ = rules.allow_.HasNameEntries() || rules.deny_.HasNameEntries();
  return rules;
}

Rules::RuleMatch Rules::Match(std::string_view host,
                              const Address& address,
                              PortFilter allow,
                              PortFilter deny) const {
  if (auto found = FindEntry(allow_, host, address, allow)) return {By::kAllow, found};
  if (!internet_) return {By::kNoInternet, {}};
  if (auto found = FindEntry(deny_, host, address, deny)) return {By::kDeny, found};
  // A denied IPv4 address is also denied through a translator.
  if (auto translated = address.Translated())
    if (auto found = FindEntry(deny_, host, *translated, deny)) return {By::kDeny, found};
  return {};
}

Decision Rules::Explain(const RuleMatch& match) const {
  switch (match.by) {
    case By::kAllow:
      return {true, "allow " + allow_.TextOf(match.entry)};
    case By::kDeny:
      return {false, "deny " + deny_.TextOf(match.entry)};
    case By::kNoInternet:
      return {false, "no internet"};
    case By::kDefault:
      break;
  }
  return {true, "default"};
}

bool Rules::Allows(std::string_view name, const Address& address, std::uint16_t port) const {
  PortFilter ports{Ports::kOne, port};
  return Match(ToLower(WithoutTrailingDot(name)), address, ports, ports).allowed();
}

bool Rules::Allows(std::string_view name, std::string_view address, std::uint16_t port) const {
  auto parsed = ParseAddress(address);
  return parsed && Allows(name, *parsed, port);
}

Decision Rules::Decide(std::string_view name, const Address& address, std::uint16_t port) const {
  PortFilter ports{Ports::kOne, port};
  return Explain(Match(ToLower(WithoutTrailingDot(name)), address, ports, ports));
}

bool Rules::HasEntryForHost(std::string_view host, std::uint16_t port) const {
  PortFilter ports{Ports::kOne, port};
  return has_name_entries_ &&
         (allow_.HasEntryForHost(host, ports) || deny_.HasEntryForHost(host, ports));
}

bool Rules::AllowsSomePort(const Address& address) const {
  return Match("", address, {Ports::kSome}, {Ports::kEvery}).allowed();
}

Rules::RuleMatch Rules::MatchQuestion(std::string_view host) const {
  if (auto found = allow_.FindHost(host, {Ports::kSome})) return {By::kAllow, found};
  if (auto found = allow_.FindEverything()) return {By::kAllow, found};
  if (!internet_) return {By::kNoInternet, {}};
  if (auto found = deny_.FindEverything()) return {By::kDeny, found};
  if (auto found = deny_.FindHost(host, {Ports::kEvery})) return {By::kDeny, found};
  return {};
}

Decision Rules::DecideQuestion(std::string_view name) const {
  return Explain(MatchQuestion(ToLower(WithoutTrailingDot(name))));
}

bool IsMetadataAddress(std::string_view text) {
  auto address = ParseAddress(text);
  return !address || address->IsMetadata();
}

bool IsPrivateAddress(std::string_view address) {
  auto parsed = ParseAddress(address);
  return !parsed || parsed->IsPrivate();
}

}  // namespace viv::network
