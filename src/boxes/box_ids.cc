#include "boxes/box_ids.h"

#include "base/check.h"
#include "base/ids.h"

namespace viv::boxes {
namespace {

constexpr std::string_view kIdLetters = "abcdefghijklmnopqrstuvwxyz0123456789";

// A UUID of version 8 has 122 bits of its own: 20 letters of 36 are a number of 104 bits, the rest
// tells what it names.
using Wide = unsigned __int128;
constexpr std::size_t kIdLength = 20;
constexpr int kTagBits = 18;
constexpr unsigned kBoxTag = 0x2b0c5;
constexpr unsigned kTemplateTag = 0x1e3a7;

std::string WriteUuid(std::string_view letters, unsigned tag) {
  Wide number = 0;
  for (char letter : letters) number = number * kIdLetters.size() + kIdLetters.find(letter);
  const Wide bits = number << kTagBits | tag;
  // 48 bits, the version, 12 bits, the variant, 62 bits.
  const Wide uuid = (bits >> 74) << 80 | Wide(8) << 76 | (bits >> 62 & 0xfff) << 64 |
                    Wide(2) << 62 | (bits & ((Wide(1) << 62) - 1));
  std::string text;
  for (int digit = 31; digit >= 0; --digit) {
    text += "0123456789abcdef"[static_cast<unsigned>(uuid >> (4 * digit)) & 15];
    if (digit == 24 || digit == 20 || digit == 16 || digit == 12) text += '-';
  }
  return text;
}

std::optional<Wide> ReadUuid(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  Wide uuid = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (c != '-') return std::nullopt;
      continue;
    }
    const bool is_digit = c >= '0' && c <= '9';
    const char lower = static_cast<char>(c | 0x20);
    if (!is_digit && (lower < 'a' || lower > 'f')) return std::nullopt;
    uuid = uuid << 4 | static_cast<unsigned>(is_digit ? c - '0' : lower - 'a' + 10);
  }
  return uuid;
}

// The letters that WriteUuid was given; nothing when it did not write this one.
std::optional<std::string> LettersOf(std::string_view text, unsigned tag) {
  const std::optional<Wide> uuid = ReadUuid(text);
  if (!uuid) return std::nullopt;
  const Wide bits =
      (*uuid >> 80) << 74 | (*uuid >> 64 & 0xfff) << 62 | (*uuid & ((Wide(1) << 62) - 1));
  Wide number = bits >> kTagBits;
  std::string letters(kIdLength, kIdLetters[0]);
  for (std::size_t i = kIdLength; i-- > 0; number /= kIdLetters.size())
    letters[i] = kIdLetters[static_cast<std::size_t>(number % kIdLetters.size())];
  std::string again = WriteUuid(letters, tag);
  return ReadUuid(again) == uuid ? std::optional(letters) : std::nullopt;
}

bool IsLetters(std::string_view text) {
  return text.size() == kIdLength && text.find_first_not_of(kIdLetters) == std::string_view::npos;
}

}  // namespace

std::string UuidOfBox(std::string_view id) {
  CHECK(id.size() == kIdLength + 1 && IsLetters(id.substr(1)));
  return WriteUuid(id.substr(1), kBoxTag);
}

std::optional<std::string> BoxOfUuid(std::string_view uuid) {
  std::optional<std::string> letters = LettersOf(uuid, kBoxTag);
  if (letters) letters->insert(0, "i");
  return letters;
}

std::string UuidOfTemplate(std::string_view id) {
  CHECK(IsLetters(id));
  return WriteUuid(id, kTemplateTag);
}

std::optional<std::string> TemplateOfUuid(std::string_view uuid) {
  return LettersOf(uuid, kTemplateTag);
}

std::string NewBoxId() {
  return "i" + RandomLettersAndDigits(20);
}

std::string NewTemplateId() {
  return RandomLettersAndDigits(20);
}

std::string NewKernelName() {
  return RandomLettersAndDigits(12);
}

}  // namespace viv::boxes
