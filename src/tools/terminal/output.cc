#include "tools/terminal/output.h"

#include <fmt/format.h>

#include "base/text.h"
#include "tools/terminal/policy.h"

namespace viv::tools::terminal {
namespace {

struct Broken {
  std::size_t begin, length;
  const char* reason;
};

// The first sequence that is no UTF-8, in the words of Python's decoder. `text` has one.
Broken FindBroken(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t at = 0; at < text.size();) {
    const unsigned char lead = byte(at);
    if (lead < 0x80) {
      ++at;
      continue;
    }
    if (lead < 0xC2 || lead > 0xF4) return {at, 1, "invalid start byte"};
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    for (std::size_t i = 1; i < length; ++i) {
      if (at + i >= text.size()) return {at, i, "unexpected end of data"};
      if (byte(at + i) < least || byte(at + i) > most) return {at, i, "invalid continuation byte"};
      least = 0x80;
      most = 0xBF;
    }
    at += length;
  }
  return {text.size(), 0, ""};
}

std::string WithPlainLineEnds(const std::string& text) {
  if (text.find('\r') == std::string::npos) return text;
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out += text[i] == '\r' ? '\n' : text[i];
  }
  return out;
}

}  // namespace

Result<std::string> DecodeOutput(std::string bytes, Completeness whole) {
  if (!IsValidUtf8(bytes)) {
    const Broken broken = FindBroken(bytes);
    if (whole == Completeness::kCut && broken.begin + 4 > bytes.size()) {
      bytes.resize(broken.begin);
    } else if (broken.length > 1) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("'utf-8' codec can't decode bytes in position {}-{}: {}",
                              broken.begin, broken.begin + broken.length - 1, broken.reason));
    } else if (broken.length == 1) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("'utf-8' codec can't decode byte 0x{:02x} in position {}: {}",
                              static_cast<unsigned char>(bytes[broken.begin]), broken.begin,
                              broken.reason));
    }
  }
  return WithPlainLineEnds(bytes);
}

std::string CutOutput(std::string text, std::size_t characters_max, Completeness whole) {
  std::size_t characters = 0;
  for (std::size_t i = 0; characters_max > 0 && i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
    if (++characters > characters_max) {
      text.resize(i);
      return text.append(kCutMark);
    }
  }
  return whole == Completeness::kCut ? text.append(kCutMark) : text;
}

}  // namespace viv::tools::terminal
