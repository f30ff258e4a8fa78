#include "tools/filesystem/glob.h"

#include "base/text.h"
#include "tools/filesystem/braces.h"
#include "tools/filesystem/js_text.h"
#include "tools/kit/tool_result.h"

namespace viv::tools::filesystem {
namespace {

constexpr std::size_t kPatternBytesMax = 4096;

// The parts between slashes; a/../b is b, and slashes in a row are one.
std::vector<std::string_view> PatternParts(std::string_view pattern) {
  std::vector<std::string_view> parts;
  const std::vector<std::string_view> all = Split(pattern, '/');
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool doubled = all[i].empty() && i > 0 && i + 1 < all.size();
    if (doubled) continue;
    const bool returns = all[i] == ".." && !parts.empty() && !parts.back().empty() &&
                         parts.back() != ".." && parts.back() != "." && parts.back() != "**";
    if (returns) {
      parts.pop_back();
    } else {
      parts.push_back(all[i]);
    }
  }
  return parts;
}

}  // namespace

Glob::Glob(std::string_view pattern) {
  never_ = pattern.empty() || pattern.starts_with('#') || pattern.size() > kPatternBytesMax;
  if (never_) return;
  while (pattern.starts_with('!')) {
    negated_ = !negated_;
    pattern.remove_prefix(1);
  }
  for (const std::string& choice : ExpandBraces(AsUtf8(std::string(pattern)))) {
    Parts& parts = choices_.emplace_back();
    for (std::string_view part : PatternParts(choice))
      parts.push_back({part == "**", GlobSegment(ToUtf16(part))});
  }
}

bool Glob::Matches(std::string_view path) const {
  if (never_) return false;
  std::vector<std::u16string> names;
  const std::string text = AsUtf8(std::string(path));
  for (std::string_view name : Split(text, '/')) names.push_back(ToUtf16(name));
  for (const Parts& parts : choices_)
    if (MatchesParts(parts, names)) return !negated_;
  return negated_;
}

// From the end: whether the parts from one on match the names from one on.
bool Glob::MatchesParts(const Parts& parts, const std::vector<std::u16string>& names) {
  std::vector<bool> after(names.size() + 1, false);
  after[names.size()] = true;
  for (std::size_t part = parts.size(); part-- > 0;) {
    std::vector<bool> here(names.size() + 1, false);
    const bool last = part + 1 == parts.size();
    for (std::size_t i = names.size() + 1; i-- > 0;) {
      if (parts[part].any_folders) {
        // At the end of a pattern it wants at least one name.
        here[i] = last ? i < names.size() : after[i] || (i < names.size() && here[i + 1]);
      } else {
        here[i] = i < names.size() && after[i + 1] && parts[part].segment.Matches(names[i]);
      }
    }
    after = std::move(here);
  }
  return after[0];
}

}  // namespace viv::tools::filesystem
