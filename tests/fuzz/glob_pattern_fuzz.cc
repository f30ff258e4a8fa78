// Any text is a pattern or is refused; matching ends, whatever the pattern and the path. The first
// line is the pattern, the rest a path; that path, escaped, is a pattern of itself.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agent/dataplane/glob_pattern.h"
#include "base/check.h"
#include "fuzz_target.h"

namespace {

using viv::agent::GlobPattern;

std::string Escaped(std::string_view path) {
  std::string pattern;
  for (char c : path) {
    if (std::string_view("\\*?[]{},").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

// One that a walk would come across.
bool IsWalkedPath(std::string_view path) {
  std::string slashed = "/" + std::string(path) + "/";
  return slashed.find("//") == std::string::npos && slashed.find("/./") == std::string::npos &&
         slashed.find("/../") == std::string::npos && path.find('\0') == std::string_view::npos;
}

}  // namespace

FUZZ_TARGET(glob_pattern)(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size > 3000) return 0;
  std::size_t line = std::min(bytes.find('\n'), size);
  std::string_view path = bytes.substr(std::min(line + 1, size));
  viv::Result<GlobPattern> pattern = GlobPattern::Parse(bytes.substr(0, line));
  if (pattern) {
    static_cast<void>(pattern->Matches(path));
  } else {
    CHECK(!pattern.error().message.empty());
  }
  if (!IsWalkedPath(path) || path.size() > 400) return 0;
  viv::Result<GlobPattern> self = GlobPattern::Parse(Escaped(path));
  CHECK(self.has_value());
  CHECK(self->Matches(path));
  viv::Result<GlobPattern> all = GlobPattern::Parse("**");
  CHECK(all && all->Matches(path));
  return 0;
}
