// Fuzzes LIKE and GLOB against SQLite's own. The first byte picks one; a line break parts the
// pattern from the text.

#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "engine/limits/text_search.h"
#include "fuzz_target.h"

FUZZ_TARGET(wildcards)(const std::uint8_t* data, std::size_t size) {
  using viv::engine::MatchWildcards;
  using viv::engine::WildcardPattern;
  std::string_view given(reinterpret_cast<const char*>(data), size);
  if (given.empty() || given.size() > 200) return 0;  // SQLite's own may take text times pattern
  if (given.find('\0') != given.npos || !viv::IsValidUtf8(given)) return 0;
  const char which = given[0];
  given.remove_prefix(1);
  const std::size_t middle = std::min(given.find('\n'), given.size());
  const std::string pattern(given.substr(0, middle));
  const std::string text(middle < given.size() ? given.substr(middle + 1) : std::string_view());
  WildcardPattern how{.pattern = pattern};
  bool expected = false;
  if (which == 'g') {
    how.kind = WildcardPattern::Kind::kGlob;
    expected = sqlite3_strglob(pattern.c_str(), text.c_str()) == 0;
  } else {
    how.case_mode = WildcardPattern::CaseMode::kIgnoreAsciiCase;
    if (which == 'e') how.escape = "^";
    expected = sqlite3_strlike(pattern.c_str(), text.c_str(), which == 'e' ? '^' : 0) == 0;
  }
  CHECK(MatchWildcards(text, how) == expected);
  return 0;
}
