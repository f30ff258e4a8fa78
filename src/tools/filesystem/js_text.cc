#include "tools/filesystem/js_text.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <tuple>
#include <vector>

namespace viv::tools::filesystem {
namespace {

// The character at `at`, moving `at` past it. A byte that begins none counts as one.
char32_t NextCharacter(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) return lead;
  const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  char32_t code = lead & (0x3F >> more);
  for (std::size_t i = 0; i < more; ++i) {
    const unsigned char byte = at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
    if (lead < 0xC0 || (byte & 0xC0) != 0x80) return 0xFFFD;
    code = (code << 6) | (byte & 0x3F);
  }
  at += more;
  return code;
}

bool IsJsSpace(char32_t c) {
  return (c >= 9 && c <= 13) || c == ' ' || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000 || c == 0xFEFF;
}

// How a letter sorts: first by what it is, then by its accent, then by its case.
struct SortKey {
  char32_t primary = 0;
  char32_t accent = 0;
  int upper = 0;
};

constexpr std::string_view kPunctuation = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
// The base letters of U+00C0 to U+017F; '.' stands for what has none.
constexpr std::string_view kBaseLetters =
    "AAAAAAACEEEEIIIIDNOOOOO.OUUUUY.saaaaaaaceeeeiiiidnooooo.ouuuuy.y"
    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlLlLl"
    "NnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";

SortKey KeyOf(char32_t c) {
  constexpr char32_t kDigits = 100, kLetters = 200, kRest = 1000;
  if (c < 0x80) {
    const char letter = static_cast<char>(c);
    if (letter >= '0' && letter <= '9') return {kDigits + c - '0', 0, 0};
    if (letter >= 'a' && letter <= 'z') return {kLetters + c - 'a', 0, 0};
    if (letter >= 'A' && letter <= 'Z') return {kLetters + c - 'A', 0, 1};
    const std::size_t resolved = kPunctuation.find(letter);
    return {resolved == kPunctuation.npos ? 0 : static_cast<char32_t>(resolved + 1), 0, 0};
  }
  if (c >= 0xC0 && c < 0xC0 + kBaseLetters.size() && kBaseLetters[c - 0xC0] != '.') {
    SortKey key = KeyOf(static_cast<unsigned char>(kBaseLetters[c - 0xC0]));
    key.accent = c;
    if (key.upper == 1) key.accent = c < 0x100 ? c + 32 : c + 1;  // as its small letter
    return key;
  }
  return {kRest + c, 0, 0};
}

std::vector<SortKey> KeysOf(std::string_view text) {
  std::vector<SortKey> keys;
  for (std::size_t at = 0; at < text.size();) {
    const SortKey key = KeyOf(NextCharacter(text, at));
    if (key.primary != 0) keys.push_back(key);  // control characters do not count
  }
  return keys;
}

template <typename Part>
int CompareBy(const std::vector<SortKey>& a, const std::vector<SortKey>& b, Part part) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (part(a[i]) != part(b[i])) return part(a[i]) < part(b[i]) ? -1 : 1;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

}  // namespace

std::u16string ToUtf16(std::string_view utf8) {
  std::u16string out;
  out.reserve(utf8.size());
  for (std::size_t at = 0; at < utf8.size();) {
    const char32_t c = NextCharacter(utf8, at);
    if (c < 0x10000) {
      out += static_cast<char16_t>(c);
    } else {
      out += static_cast<char16_t>(0xD800 + ((c - 0x10000) >> 10));
      out += static_cast<char16_t>(0xDC00 + ((c - 0x10000) & 0x3FF));
    }
  }
  return out;
}

std::size_t Utf16Length(std::string_view utf8) {
  std::size_t length = 0;
  for (const char c : utf8) {
    const auto byte = static_cast<unsigned char>(c);
    length += (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
  }
  return length;
}

std::string_view IndentOf(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (!IsJsSpace(NextCharacter(text, at))) break;
    end = at;
  }
  return text.substr(0, end);
}

std::size_t IndentLength(std::string_view text) {
  return Utf16Length(IndentOf(text));
}

std::string_view TrimStart(std::string_view text) {
  return text.substr(IndentOf(text).size());
}

std::string_view TrimBoth(std::string_view text) {
  text = TrimStart(text);
  while (!text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
    std::size_t at = last;
    if (!IsJsSpace(NextCharacter(text, at))) break;
    text = text.substr(0, last);
  }
  return text;
}

std::string WithoutCarriageReturns(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out += text[i];
  return out;
}

bool SortsBefore(std::string_view a, std::string_view b) {
  const std::vector<SortKey> left = KeysOf(a), right = KeysOf(b);
  if (const int order = CompareBy(left, right, [](const SortKey& key) { return key.primary; }))
    return order < 0;
  if (const int order = CompareBy(left, right, [](const SortKey& key) { return key.accent; }))
    return order < 0;
  return CompareBy(left, right, [](const SortKey& key) { return key.upper; }) < 0;
}

std::string FormatSize(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && (bytes >> (10 * (unit + 1))) > 0) ++unit;
  if (unit == 0) return std::to_string(bytes) + " B";
  // Half a hundredth counts as a whole one, unlike with printf.
  const auto scale = static_cast<unsigned __int128>(1) << (10 * unit);
  const auto hundredths = static_cast<std::uint64_t>(
      (static_cast<unsigned __int128>(bytes) * 200 + scale) / (2 * scale));
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%llu.%02llu %s",
                static_cast<unsigned long long>(hundredths / 100),
                static_cast<unsigned long long>(hundredths % 100), kUnits[unit]);
  return text.data();
}

std::string FormatDate(const statx_timestamp& moment) {
  const auto seconds = static_cast<std::time_t>(moment.tv_sec);
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return "Invalid Date";
  std::array<char, 64> text{};
  const std::size_t length =
      std::strftime(text.data(), text.size(), "%a %b %d %Y %H:%M:%S", &parts);
  return std::string(text.data(), length) + " GMT+0000 (Coordinated Universal Time)";
}

}  // namespace viv::tools::filesystem
