#include "tools/kit/tool_result.h"

#include "base/text.h"

namespace viv::tools {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// How many bytes of a well-formed character begin here; 0: none does. `broken` then says how many
// bytes are replaced by one mark, as browsers and Node count them.
std::size_t CharacterAt(std::string_view text, std::size_t at, std::size_t& broken) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  broken = 1;
  if (lead < 0x80) return 1;
  std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  unsigned char least = 0x80, most = 0xBF;  // of the second byte
  if (lead == 0xE0) least = 0xA0;
  if (lead == 0xED) most = 0x9F;
  if (lead == 0xF0) least = 0x90;
  if (lead == 0xF4) most = 0x8F;
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= text.size() || byte(at + i) < least || byte(at + i) > most) return 0;
    least = 0x80;
    most = 0xBF;
    broken = i + 1;
  }
  return length;
}

}  // namespace

std::string AsUtf8(std::string text) {
  if (IsValidUtf8(text)) return text;
  std::string out;
  out.reserve(text.size() + 16);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t broken = 1;
    if (const std::size_t length = CharacterAt(text, at, broken); length > 0) {
      out.append(text, at, length);
      at += length;
    } else {
      out += kReplacement;
      at += broken;
    }
  }
  return out;
}

void AddText(ToolResult& result, std::string text) {
  result.content.push_back(json::object{{"type", "text"}, {"text", AsUtf8(std::move(text))}});
}

ToolResult Text(std::string text) {
  ToolResult result;
  AddText(result, std::move(text));
  return result;
}

ToolResult ErrorText(std::string text) {
  ToolResult result = Text(std::move(text));
  result.is_error = true;
  return result;
}

}  // namespace viv::tools
