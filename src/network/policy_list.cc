#include "network/policy_list.h"

#include <re2/re2.h>

#include <algorithm>

#include "base/text.h"

namespace viv::network {
namespace {

// Together they bound what one decision costs: some milliseconds at the very worst.
constexpr std::size_t kGlobsMax = 256;
constexpr std::size_t kExpressionsMax = 64;
constexpr int kInstructionsMax = 4096;
constexpr std::int64_t kExpressionBytesMax = 256 << 10;  // with what matching it takes

tl::unexpected<Error> TooMany(std::string what) {
  return Fail(ErrorCode::kInvalidArgument, std::move(what));
}

}  // namespace

PolicyList::NamePort PolicyList::Keep(const PolicyEntry& entry) {
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
  ASSIGN_OR_RETURN(PolicyEntry entry, ReadPolicyEntry(text));
  switch (entry.kind) {
    case Kind::kBlock:
      has_everything_ |= entry.block.everything;
      blocks_.push_back(entry.block);
      return {};
    case Kind::kHost:
      hosts_.push_back(Keep(entry));
      return {};
    case Kind::kSubdomains:
      domains_.push_back(Keep(entry));
      return {};
    case Kind::kRegex:
      return AddExpression(entry);
    case Kind::kGlob:
    case Kind::kAddressGlob:
      if (globs_.size() + address_globs_.size() >= kGlobsMax)
        return TooMany("a list has at most " + std::to_string(kGlobsMax) +
                       " patterns beside those of the form '*.name'");
      (entry.kind == Kind::kGlob ? globs_ : address_globs_).push_back(Keep(entry));
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

bool PolicyList::HasName(const std::vector<NamePort>& sorted,
                         std::string_view name,
                         PortQuestion ports) const {
  auto at = std::lower_bound(
      sorted.begin(), sorted.end(), name,
      [this](const NamePort& entry, std::string_view wanted) { return NameOf(entry) < wanted; });
  for (; at != sorted.end() && NameOf(*at) == name; ++at)
    if (ports.Fits(at->port)) return true;
  return false;
}

bool PolicyList::FitsGlob(const std::vector<NamePort>& globs,
                          std::string_view text,
                          PortQuestion ports) const {
  return std::any_of(globs.begin(), globs.end(), [&](const NamePort& glob) {
    return ports.Fits(glob.port) && MatchesGlob(NameOf(glob), text);
  });
}

bool PolicyList::FitsPattern(std::string_view host, PortQuestion ports) const {
  if (FitsGlob(globs_, host, ports)) return true;
  re2::StringPiece text(host.data(), host.size());
  return std::any_of(expressions_.begin(), expressions_.end(), [&](const Expression& expression) {
    return ports.Fits(expression.port) && re2::RE2::FullMatch(text, *expression.pattern);
  });
}

bool PolicyList::CoversHost(std::string_view host, PortQuestion ports) const {
  if (host.empty()) return false;
  if (HasName(hosts_, host, ports)) return true;
  if (!domains_.empty())
    for (std::size_t dot = host.find('.', 1); dot != std::string_view::npos;
         dot = host.find('.', dot + 1))
      if (HasName(domains_, host.substr(dot + 1), ports)) return true;
  return FitsPattern(host, ports);
}

bool PolicyList::CoversBare(const Address& address, PortQuestion ports) const {
  if (globs_.empty() && expressions_.empty()) return false;
  return FitsPattern(address.Text(), ports);
}

bool PolicyList::CoversAddress(const Address& address, PortQuestion ports) const {
  bool in_block = std::any_of(blocks_.begin(), blocks_.end(), [&](const AddressBlock& block) {
    return ports.Fits(block.port) && block.Contains(address);
  });
  if (in_block) return true;
  return !address_globs_.empty() && address.IsV4() &&
         FitsGlob(address_globs_, address.Text(), ports);
}

std::size_t PolicyList::bytes() const {
  return blocks_.capacity() * sizeof(AddressBlock) + names_.capacity() +
         expressions_.capacity() * sizeof(Expression) +
         (hosts_.capacity() + domains_.capacity() + globs_.capacity() + address_globs_.capacity()) *
             sizeof(NamePort);
}

}  // namespace viv::network
