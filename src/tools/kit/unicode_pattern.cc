#include "tools/kit/unicode_pattern.h"

#include <re2/re2.h>

#include <cctype>

namespace viv::tools {
namespace {

constexpr std::size_t kPatternBytesMax = 64 << 10;
constexpr std::int64_t kPatternMemoryMax = 32 << 20;

// What stands for an escape, within brackets and outside them; empty: it stays as it is.
std::string_view InRe2(char escape, bool in_class) {
  switch (escape) {
    case 'w':
      return in_class ? R"(\pL\pM\p{Nd}\p{Nl}\p{Pc})" : R"([\pL\pM\p{Nd}\p{Nl}\p{Pc}])";
    case 'W':
      return in_class ? "" : R"([^\pL\pM\p{Nd}\p{Nl}\p{Pc}])";
    case 'd':
      return R"(\p{Nd})";
    case 'D':
      return R"(\P{Nd})";
    case 's':
      return in_class ? R"(\s\x0b\x{85}\p{Z})" : R"([\s\x0b\x{85}\p{Z}])";
    case 'S':
      return in_class ? "" : R"([^\s\x0b\x{85}\p{Z}])";
    case 'Z':
      return in_class ? "" : R"(\z)";
    default:
      return "";
  }
}

bool IsUnicodeEscape(std::string_view rest) {  // \u0041
  if (rest.size() < 6 || rest[1] != 'u') return false;
  for (char digit : rest.substr(2, 4))
    if (std::isxdigit(static_cast<unsigned char>(digit)) == 0) return false;
  return true;
}

bool IsNamedGroup(std::string_view rest) {  // (?<name>, which RE2 wants as (?P<name>
  return rest.starts_with("(?<") && rest.size() > 3 && rest[3] != '=' && rest[3] != '!';
}

}  // namespace

std::string ToRe2Syntax(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      if (IsUnicodeEscape(pattern.substr(i))) {
        out += "\\x{" + std::string(pattern.substr(i + 2, 4)) + "}";
        i += 5;
        continue;
      }
      const std::string_view other = InRe2(pattern[i + 1], in_class);
      out += other.empty() ? pattern.substr(i, 2) : other;
      ++i;
      continue;
    }
    if (!in_class && IsNamedGroup(pattern.substr(i))) {
      out += "(?P<";
      i += 2;
      continue;
    }
    out += c;
    if (in_class) {
      if (c == ']') in_class = false;
    } else if (c == '[') {
      in_class = true;
      if (i + 1 < pattern.size() && pattern[i + 1] == '^') out += pattern[++i];
      // A bracket that comes first is one of the characters.
      if (i + 1 < pattern.size() && pattern[i + 1] == ']') (out += "\\]"), ++i;
    }
  }
  return out;
}

Result<std::shared_ptr<const re2::RE2>> CompilePattern(std::string_view pattern,
                                                       LetterCase letter_case) {
  if (pattern.size() > kPatternBytesMax)
    return Fail(ErrorCode::kLimitExceeded, "the pattern is longer than 64 KiB");
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(letter_case == LetterCase::kMatters);
  options.set_max_mem(kPatternMemoryMax);
  // shared_ptr: RE2 is neither copied nor moved, and sessions keep what they search with.
  auto compiled = std::make_shared<const re2::RE2>("(?m)" + ToRe2Syntax(pattern), options);
  if (!compiled->ok())
    return Fail(ErrorCode::kInvalidArgument,
                compiled->error() + " (look-around and back references are not supported)");
  return compiled;
}

}  // namespace viv::tools
