#include "network/policy_list.h"

#include <re2/re2.h>

#include <algorithm>

#include "base/text.h"

namespace viv::network {
namespace {

// Together these bound the cost of one decision: some milliseconds in the worst case.
constexpr std::size_t kGlobsMax = 256;
constexpr std::size_t kExpressionsMax = 64;
constexpr int kInstructionsMax = 4096;
constexpr std::int64_t kExpressionBytesMax = 256 << 10;  // including the memory for matching

tl::unexpected<Error> TooMany(std::string what) {
  return Fail(ErrorCode::kInvalidArgument, std::move(what));
}

}  // namespace

PolicyList::NamePort PolicyList::StoreName(const PolicyEntry& entry) {
  NamePort kept{static_cast<std::uint32_t>(names_.size()),
                static_cast<std::uint16_t>(entry.text.size()), entry.port};
  names_ += entry.text;
  return kept;
}

Status PolicyList::AddExpression(const PolicyEntry& entry) {
  if (expressions_.size() >= kExpressionsMax)
    return TooMany("a list has at most " + std::to_string(kExpressionsMax) + " expressions");
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(false);
  options.set_encoding(re2::RE2::Options::EncodingLatin1);  // names are bytes
  options.set_max_mem(kExpressionBytesMax);
  auto pattern = std::make_shared<const re2::RE2>(entry.text, options);
  if (!pattern->ok())
    return Fail(ErrorCode::kInvalidArgument,
                "the expression cannot be read: " + Printable(pattern->error()));
  instructions_ += pattern->ProgramSize();
  if (instructions_ > kInstructionsMax)
    return TooMany("the list's expressions are too big together; shorten this one");
  expressions_.push_back({std::move(pattern), entry.port});
  return {};
}

Status PolicyList::Add(std::string_view text) {
  using Kind = PolicyEntry::Kind;
  ASSIGN_OR_RETURN(PolicyEntry entry, ParsePolicyEntry(text));
  switch (entry.kind) {
    case Kind::kBlock:
      blocks_.push_back(entry.block);
      return {};
    case Kind::kHost:
      hosts_.push_back(StoreName(entry));
      return {};
    case Kind::kSubdomains:
      domains_.push_back(StoreName(entry));
      return {};
    case Kind::kRegex:
      return AddExpression(entry);
    case Kind::kGlob:
    case Kind::kAddressGlob:
      if (globs_.size() + address_globs_.size() >= kGlobsMax)
        return TooMany("a list has at most " + std::to_string(kGlobsMax) +
                       " patterns beside those of the form '*.name'");
      (entry.kind == Kind::kGlob ? globs_ : address_globs_).push_back(StoreName(entry));
  }
  return {};
}

void PolicyList::Finish() {
  auto by_name = [this](const NamePort& a, const NamePort& b) { return NameOf(a) < NameOf(b); };
  for (std::vector<NamePort>* names : {&hosts_, &domains_, &globs_, &address_globs_}) {
    std::sort(names->begin(), names->end(), by_name);
    names->shrink_to_fit();
  }
  names_.shrink_to_fit();
  blocks_.shrink_to_fit();
}

std::optional<std::size_t> PolicyList::FindName(const std::vector<NamePort>& sorted,
                                                std::string_view name,
                                                PortFilter ports) const {
  auto at = std::lower_bound(
      sorted.begin(), sorted.end(), name,
      [this](const NamePort& entry, std::string_view wanted) { return NameOf(entry) < wanted; });
  for (; at != sorted.end() && NameOf(*at) == name; ++at)
    if (ports.Matches(at->port)) return static_cast<std::size_t>(at - sorted.begin());
  return std::nullopt;
}

std::optional<std::size_t> PolicyList::FindGlob(const std::vector<NamePort>& globs,
                                                std::string_view text,
                                                PortFilter ports) const {
  for (std::size_t i = 0; i < globs.size(); ++i)
    if (ports.Matches(globs[i].port) && MatchesGlob(NameOf(globs[i]), text)) return i;
  return std::nullopt;
}

PolicyList::Found PolicyList::FindName(std::string_view host, PortFilter ports) const {
  if (host.empty()) return {};
  if (auto at = FindName(hosts_, host, ports)) return {Found::Kind::kHost, *at};
  if (domains_.empty()) return {};
  for (std::size_t dot = host.find('.', 1); dot != std::string_view::npos;
       dot = host.find('.', dot + 1))
    if (auto at = FindName(domains_, host.substr(dot + 1), ports))
      return {Found::Kind::kDomain, *at};
  return {};
}

PolicyList::Found PolicyList::FindExpression(std::string_view host, PortFilter ports) const {
  re2::StringPiece text(host.data(), host.size());
  for (std::size_t i = 0; i < expressions_.size(); ++i)
    if (ports.Matches(expressions_[i].port) && re2::RE2::FullMatch(text, *expressions_[i].pattern))
      return {Found::Kind::kExpression, i};
  return {};
}

PolicyList::Found PolicyList::FindPattern(std::string_view host, PortFilter ports) const {
  if (auto at = FindGlob(globs_, host, ports)) return {Found::Kind::kGlob, *at};
  return FindExpression(host, ports);
}

PolicyList::Found PolicyList::FindHost(std::string_view host, PortFilter ports) const {
  if (host.empty()) return {};
  Found named = FindName(host, ports);
  return named ? named : FindPattern(host, ports);
}

PolicyList::Found PolicyList::FindByAddressText(const Address& address, PortFilter ports) const {
  if (globs_.empty() && expressions_.empty()) return {};
  return FindPattern(address.Text(), ports);
}

PolicyList::Found PolicyList::FindAddress(const Address& address, PortFilter ports) const {
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    if (ports.Matches(blocks_[i].port) && blocks_[i].Contains(address))
      return {Found::Kind::kBlock, i};
  if (address_globs_.empty() || !address.IsV4()) return {};
  if (auto at = FindGlob(address_globs_, address.Text(), ports))
    return {Found::Kind::kAddressGlob, *at};
  return {};
}

PolicyList::Found PolicyList::FindEverything() const {
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    if (blocks_[i].everything) return {Found::Kind::kBlock, i};
  return {};
}

bool PolicyList::HasNameEntries() const {
  if (!hosts_.empty() || !domains_.empty() || !expressions_.empty()) return true;
  return std::any_of(globs_.begin(), globs_.end(),
                     [this](const NamePort& glob) { return NameOf(glob) != "*"; });
}

bool PolicyList::HasEntryForHost(std::string_view host, PortFilter ports) const {
  if (FindName(host, ports) || FindExpression(host, ports)) return true;
  return std::any_of(globs_.begin(), globs_.end(), [&](const NamePort& glob) {
    return NameOf(glob) != "*" && ports.Matches(glob.port) && MatchesGlob(NameOf(glob), host);
  });
}

std::string PolicyList::TextOf(Found found) const {
  using Kind = Found::Kind;
  auto with_port = [this](const NamePort& entry) {
    std::string text(NameOf(entry));
    return entry.port == 0 ? text : text + ":" + std::to_string(entry.port);
  };
  switch (found.kind) {
    case Kind::kNone:
      return "";
    case Kind::kBlock:
      return blocks_[found.at].Text();
    case Kind::kHost:
      return with_port(hosts_[found.at]);
    case Kind::kDomain:
      return "*." + with_port(domains_[found.at]);
    case Kind::kGlob:
      return with_port(globs_[found.at]);
    case Kind::kAddressGlob:
      return with_port(address_globs_[found.at]);
    case Kind::kExpression:
      return "~" + expressions_[found.at].pattern->pattern();
  }
  return "";
}

std::size_t PolicyList::bytes() const {
  return blocks_.capacity() * sizeof(AddressBlock) + names_.capacity() +
         expressions_.capacity() * sizeof(Expression) +
         (hosts_.capacity() + domains_.capacity() + globs_.capacity() + address_globs_.capacity()) *
             sizeof(NamePort);
}

}  // namespace viv::network
