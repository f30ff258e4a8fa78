#include "agent/dataplane/utf8_prefix.h"

#include "base/text.h"

namespace viv::agent {
namespace {

constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// How long the character is that begins with this byte; 0 when none does.
std::size_t CharacterLength(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

// Whether some character begins with these bytes, of which there are fewer than it takes.
bool BeginsCharacter(std::string_view bytes) {
  std::string whole(bytes);
  auto first = static_cast<unsigned char>(bytes[0]);
  // The second byte decides; further ones only have to be continuations.
  if (bytes.size() == 1) whole += first == 0xE0 || first == 0xF0 ? '\xA0' : '\x80';
  whole.resize(CharacterLength(first), '\x80');
  return IsValidUtf8(whole);
}

// How many bytes at the end are the beginning of a character.
std::size_t PartialCharacterLength(std::string_view bytes) {
  for (std::size_t length = 1; length < 4 && length <= bytes.size(); ++length) {
    std::string_view end = bytes.substr(bytes.size() - length);
    auto first = static_cast<unsigned char>(end[0]);
    if ((first & 0xC0) == 0x80) continue;  // within a character
    return CharacterLength(first) > length && BeginsCharacter(end) ? length : 0;
  }
  return 0;
}

// One character, or the replacement of one byte.
void TakeCharacter(std::string_view bytes, Utf8Prefix& cut) {
  std::string_view rest = bytes.substr(cut.bytes);
  std::size_t length = CharacterLength(static_cast<unsigned char>(rest[0]));
  bool whole = length > 0 && length <= rest.size() && IsValidUtf8(rest.substr(0, length));
  cut.text += whole ? rest.substr(0, length) : kReplacementCharacter;
  cut.bytes += whole ? length : 1;
}

}  // namespace

Utf8Prefix TakeUtf8Prefix(std::string_view bytes, MoreBytes more) {
  if (more == MoreBytes::kMayFollow) bytes.remove_suffix(PartialCharacterLength(bytes));
  if (IsValidUtf8(bytes)) return {std::string(bytes), bytes.size()};
  Utf8Prefix cut;
  cut.text.reserve(bytes.size());
  while (cut.bytes < bytes.size()) TakeCharacter(bytes, cut);
  return cut;
}

}  // namespace viv::agent
