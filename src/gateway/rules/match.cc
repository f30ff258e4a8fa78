#include "gateway/rules/match.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>

#include "base/text.h"
#include "gateway/rules/path_pattern.h"

namespace viv::gateway {
namespace {

constexpr std::size_t kMatchedHostBytesMax = 253;

// A host of a rule: the host itself, or all hosts below it.
struct HostEntry {
  std::string_view host;  // points into the plan
  std::uint32_t position = 0;
  bool below = false;

  auto key() const { return std::tuple(host, below, position); }
};
using HostEntries = std::vector<HostEntry>;

HostEntries Collect(const auto& list) {
  HostEntries entries;
  std::size_t count = 0;
  for (const auto& item : list) count += item.hosts.size();
  entries.reserve(count);
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::string_view host : list[i].hosts) {
      bool below = host.starts_with("*.");
      if (below) host.remove_prefix(2);
      if (!host.empty()) entries.push_back({host, static_cast<std::uint32_t>(i), below});
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const HostEntry& a, const HostEntry& b) { return a.key() < b.key(); });
  return entries;
}

// The labels of an address do not form a hierarchy.
bool IsAddress(std::string_view host) {
  std::string_view last = host.substr(host.rfind('.') + 1);
  return host.find(':') != std::string_view::npos ||
         std::all_of(last.begin(), last.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The lowest position that matches `host` and that `fits` accepts. `fits` is called in rising order
// for each name under which the host may be listed.
template <typename Matches>
std::optional<std::uint32_t> FirstOf(const HostEntries& entries,
                                     std::string_view host,
                                     Matches fits) {
  std::optional<std::uint32_t> first;
  if (host.empty() || host.size() > kMatchedHostBytesMax) return first;
  bool below = false;
  for (std::string_view name = host; !name.empty();) {
    auto at = std::lower_bound(entries.begin(), entries.end(), std::tuple(name, below, 0u),
                               [](const HostEntry& a, const auto& key) { return a.key() < key; });
    for (; at != entries.end() && at->host == name && at->below == below; ++at) {
      if (first && at->position >= *first) break;
      if (!fits(at->position)) continue;
      first = at->position;
      break;
    }
    std::size_t dot = name.find('.');
    if (dot == std::string_view::npos || (!below && IsAddress(host))) break;
    name.remove_prefix(dot + 1);
    below = true;
  }
  return first;
}

bool HasAllHeaders(const http::Headers& headers,
                   const std::vector<RequiredHeader>& required_headers) {
  return std::all_of(
      required_headers.begin(), required_headers.end(), [&](const RequiredHeader& wanted) {
        return std::any_of(headers.begin(), headers.end(), [&](const auto& header) {
          return EqualsIgnoreCase(header.first, wanted.name) && header.second == wanted.value;
        });
      });
}

bool MatchesAny(std::uint32_t) {
  return true;
}

}  // namespace

struct Matcher::Index {
  explicit Index(const Plan& of)
      : plan(of), rules(Collect(of.rules)), callbacks(Collect(of.callbacks)) {}

  const Plan& plan;
  HostEntries rules, callbacks;
};

Matcher::Matcher(const Plan& plan) : index_(std::make_unique<Index>(plan)) {}
Matcher::~Matcher() = default;

bool Matcher::MatchesHost(std::string_view host) const {
  const std::vector<HeaderRule>& rules = index_->plan.rules;
  auto adds = [&](std::uint32_t position) { return rules[position].adds(); };
  auto leaves_alone = [&](std::uint32_t position) {
    const HeaderRule& rule = rules[position];
    return !rule.adds() && rule.paths.empty() && rule.required_headers.empty();
  };
  const auto alone = FirstOf(index_->rules, host, leaves_alone);
  const auto first = FirstOf(index_->rules, host, adds);
  if (first && (!alone || *first < *alone)) return true;
  return !alone && FirstOf(index_->callbacks, host, MatchesAny);
}

const HeaderRule* Matcher::RuleFor(std::string_view host,
                                   std::string_view path,
                                   const http::Headers& headers) const {
  std::optional<RequestPath> read;  // parsed when the first rule needs it
  auto fits = [&](std::uint32_t position) {
    const HeaderRule& rule = index_->plan.rules[position];
    if (!HasAllHeaders(headers, rule.required_headers)) return false;
    const std::vector<std::string>& patterns = rule.paths;
    if (patterns.empty()) return true;
    if (!read) read.emplace(path);
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& pattern) { return read->Matches(pattern); });
  };
  auto found = FirstOf(index_->rules, host, fits);
  return found ? &index_->plan.rules[*found] : nullptr;
}

const Callback* Matcher::CallbackFor(std::string_view host) const {
  auto found = FirstOf(index_->callbacks, host, MatchesAny);
  return found ? &index_->plan.callbacks[*found] : nullptr;
}

}  // namespace viv::gateway
