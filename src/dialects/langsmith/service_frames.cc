#include "dialects/langsmith/service_frames.h"

#include "base/text.h"
#include "dialects/langsmith/web_url.h"

namespace viv::langsmith {
namespace {

constexpr std::string_view kFrameAncestors = "frame-ancestors";

// A guest's content security policies, of which a header may have several, without what they say of
// frames.
std::string WithoutFrameAncestors(std::string_view header) {
  std::string kept;
  for (std::string_view policy : Split(header, ',')) {
    std::string directives;
    for (std::string_view directive : Split(policy, ';')) {
      directive = Trim(directive);
      std::string_view name = directive.substr(0, directive.find_first_of(" \t"));
      if (directive.empty() || EqualsIgnoreCase(name, kFrameAncestors)) continue;
      if (!directives.empty()) directives += "; ";
      directives += directive;
    }
    if (directives.empty()) continue;
    if (!kept.empty()) kept += ", ";
    kept += directives;
  }
  return kept;
}

}  // namespace

std::optional<std::string> EmbedOrigin(std::string_view text) {
  std::optional<WebUrl> url = ParseWebUrl(text);
  if (!url || url->has_credentials || url->has_query) return std::nullopt;
  if (!url->path.empty() && url->path != "/") return std::nullopt;
  std::string origin = ToLower(text);
  if (origin.ends_with('/')) origin.pop_back();
  return origin;
}

void AllowFrames(http::Response& response, const std::vector<std::string>& origins) {
  http::Headers kept;
  for (const auto& [name, value] : response.headers) {
    if (EqualsIgnoreCase(name, "x-frame-options")) continue;
    if (!EqualsIgnoreCase(name, "content-security-policy")) {
      kept.Add(name, value);
      continue;
    }
    std::string rest = WithoutFrameAncestors(value);
    if (!rest.empty()) kept.Add(name, std::move(rest));
  }
  std::string policy = std::string(kFrameAncestors) + " 'self'";
  for (const std::string& origin : origins) policy += ' ' + origin;
  kept.Add("Content-Security-Policy", std::move(policy));
  response.headers = std::move(kept);
}

}  // namespace viv::langsmith
