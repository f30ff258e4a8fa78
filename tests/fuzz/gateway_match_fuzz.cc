// Lines: a host, a path, then hosts and patterns of rules by turns. Whatever they are, matching
// agrees with the plain glob, names what it gives a rule to, and never gives the secret of one
// place to a path that some origin takes for another.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "fuzz_target.h"
#include "gateway/rules/match.h"
#include "gateway/rules/path_pattern.h"

namespace {

using viv::gateway::GlobMatches;
using viv::gateway::HeaderRule;
using viv::gateway::Matcher;
using viv::gateway::Plan;
using viv::gateway::RequestPath;

// As an origin does that decodes `times`, takes "\" for "/", and resolves dot segments.
std::string AsSomeOriginReads(std::string path, int times) {
  for (int i = 0; i < times; ++i) path = viv::PercentDecode(path).value_or(path);
  for (char& c : path)
    if (c == '\\') c = '/';
  std::vector<std::string_view> kept;
  for (std::string_view segment : viv::Split(path, '/')) {
    segment = segment.substr(0, segment.find(';'));
    if (segment == ".." && !kept.empty()) kept.pop_back();
    if (!segment.empty() && segment != "." && segment != "..") kept.push_back(segment);
  }
  std::string read;
  for (std::string_view segment : kept) read.append("/").append(segment);
  return read + "/";
}

void CheckPath(const std::string& path, std::string_view pattern) {
  bool fits = RequestPath(path).Matches(pattern);
  CHECK(!fits || RequestPath(path).Matches("*"));
  CHECK(GlobMatches(pattern, path) == viv::MatchesGlob(pattern, path));
  if (!RequestPath(path).Matches("/public/*")) return;
  CHECK(path.starts_with("/"));
  for (int times : {0, 1, 2, 3}) CHECK(AsSomeOriginReads(path, times).starts_with("/public/"));
}

}  // namespace

FUZZ_TARGET(gateway_match)(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string_view> lines = viv::Split(text, '\n');
  const std::string host(lines[0]);
  const std::string path(lines.size() > 1 ? lines[1] : "/");
  Plan plan;
  for (std::size_t i = 2; i < lines.size() && i < 128; i += 2) {
    HeaderRule rule;
    rule.name = std::to_string(i);
    rule.hosts = {std::string(lines[i])};
    rule.headers.emplace_back();
    if (i + 1 < lines.size()) rule.paths = {std::string(lines[i + 1])};
    CheckPath(path, lines[i]);
    plan.rules.push_back(std::move(rule));
  }
  CheckPath("/public/" + path, "*");
  CheckPath(path, "*");
  Matcher matcher(plan);
  const HeaderRule* found = matcher.RuleFor(host, path);
  if (found == nullptr) return 0;
  CHECK(matcher.MatchesHost(host));
  // None before it is for the request.
  for (const HeaderRule& rule : plan.rules) {
    Plan alone;
    alone.rules = {rule};
    CHECK((Matcher(alone).RuleFor(host, path) != nullptr) == (&rule == found));
    if (&rule == found) break;
  }
  return 0;
}
