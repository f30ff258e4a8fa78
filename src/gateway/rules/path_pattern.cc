#include "gateway/rules/path_pattern.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace viv::gateway {
namespace {

constexpr int kDecodingsMax = 4;  // no real path is encoded more often

bool IsControl(unsigned char byte) {
  return byte < 0x20 || byte == 0x7f;
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The byte that the escape at `at` encodes; -1 if it is none.
int EscapedByte(std::string_view text, std::size_t at) {
  if (text.size() - at < 3 || text[at] != '%') return -1;
  int high = HexValue(text[at + 1]);
  int low = HexValue(text[at + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

// Whether every origin reads it as it is written.
bool IsPlainPath(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    if (IsControl(byte) || byte >= 0x80) return false;
    if (std::strchr("%\\;?#", byte) != nullptr) return false;
    if (byte == '/' && i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '.'))
      return false;
  }
  return true;
}

std::optional<std::string> ReadLiterally(std::string_view text) {
  constexpr std::string_view kShaping = "/\\%*?#;";
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string read;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int byte = static_cast<unsigned char>(text[i]);
    bool escaped = byte == '%';
    if (escaped) {
      byte = EscapedByte(text, i);
      i += 2;
    }
    if (byte < 0 || IsControl(static_cast<unsigned char>(byte))) return std::nullopt;
    if (escaped && kShaping.find(static_cast<char>(byte)) != std::string_view::npos) {
      read += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      read += static_cast<char>(byte);
    }
  }
  return read;
}

// Decodes once. What is not an escape stays, and so does "%2A", which is no wildcard.
std::string DecodeOnce(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int byte = EscapedByte(text, i);
    if (byte < 0) {
      decoded += text[i];
      continue;
    }
    if (byte == '*') {
      decoded += "%2A";
    } else {
      decoded += static_cast<char>(byte);
    }
    i += 2;
  }
  return decoded;
}

std::optional<std::string> DecodeToTheEnd(std::string_view text) {
  std::string decoded(text);
  for (int i = 0; i < kDecodingsMax; ++i) {
    std::string next = DecodeOnce(decoded);
    if (next.size() == decoded.size()) return next;
    decoded = std::move(next);
  }
  return std::nullopt;
}

// Whether a segment is "." or "..", also after characters that an origin may take for the path's
// end.
bool HasDotSegment(std::string_view path) {
  for (std::string_view segment : Split(path, '/')) {
    segment = segment.substr(0, segment.find_first_of(";?#"));
    if (segment == "." || segment == "..") return true;
  }
  return false;
}

std::optional<std::string> ReadLoosely(std::string_view text) {
  std::optional<std::string> decoded = DecodeToTheEnd(text);
  if (!decoded || !IsValidUtf8(*decoded)) return std::nullopt;
  for (char& c : *decoded) {
    if (IsControl(static_cast<unsigned char>(c))) return std::nullopt;
    if (c == '\\') c = '/';
  }
  if (HasDotSegment(*decoded)) return std::nullopt;
  decoded->resize(std::min(decoded->find_first_of("?#"), decoded->size()));
  std::string read;
  bool slash = false;  // precedes the next segment
  for (std::string_view rest = *decoded;;) {
    std::size_t end = rest.find('/');
    std::string_view segment = rest.substr(0, end);
    segment = segment.substr(0, segment.find(';'));
    if (!segment.empty()) {
      if (slash) read += '/';
      read += segment;
      slash = false;
    }
    if (end == std::string_view::npos) break;
    slash = true;
    rest.remove_prefix(end + 1);
  }
  if (slash) read += '/';
  return read;
}

}  // namespace

bool GlobMatches(std::string_view pattern, std::string_view text) {
  std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  // Each piece between two stars is matched at its first occurrence, which leaves most text for the
  // others.
  while ((star = pattern.find('*')) != std::string_view::npos) {
    if (text.size() < star) return false;
    if (star > 0) {
      const void* found = ::memmem(text.data(), text.size(), pattern.data(), star);
      if (found == nullptr) return false;
      text.remove_prefix(static_cast<const char*>(found) - text.data() + star);
    }
    pattern.remove_prefix(star + 1);
  }
  return text.ends_with(pattern);
}

RequestPath::RequestPath(std::string_view raw) : raw_(raw), plain_(false) {
  if (!raw.starts_with('/')) return;
  plain_ = IsPlainPath(raw);
  if (plain_) return;
  literal_ = ReadLiterally(raw);
  loose_ = ReadLoosely(raw);
}

bool RequestPath::Matches(std::string_view pattern) const {
  if (!plain_ && (!literal_ || !loose_)) return false;
  std::string_view literal = plain_ ? raw_ : std::string_view(*literal_);
  std::string_view loose = plain_ ? raw_ : std::string_view(*loose_);
  if (IsPlainPath(pattern))
    return GlobMatches(pattern, literal) && (plain_ || GlobMatches(pattern, loose));
  std::optional<std::string> literal_pattern = ReadLiterally(pattern);
  std::optional<std::string> loose_pattern = ReadLoosely(pattern);
  return literal_pattern && loose_pattern && GlobMatches(*literal_pattern, literal) &&
         GlobMatches(*loose_pattern, loose);
}

}  // namespace viv::gateway
