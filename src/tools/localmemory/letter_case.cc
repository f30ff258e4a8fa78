#include "tools/localmemory/letter_case.h"

#include <array>

namespace viv::tools::localmemory {
namespace {

struct LetterRange {
  char16_t first, last;
  int offset;  // to the small letter; 0: capitals and small letters alternate, capitals even
};

// All of these have two bytes in UTF-8, but the last, which has three.
constexpr std::array<LetterRange, 18> kCapitals = {{{0xC0, 0xD6, 32},
                                                    {0xD8, 0xDE, 32},
                                                    {0x100, 0x12F, 0},
                                                    {0x132, 0x137, 0},
                                                    {0x14A, 0x177, 0},
                                                    {0x386, 0x386, 38},
                                                    {0x388, 0x38A, 37},
                                                    {0x38C, 0x38C, 64},
                                                    {0x38E, 0x38F, 63},
                                                    {0x391, 0x3A1, 32},
                                                    {0x3A3, 0x3AB, 32},
                                                    {0x400, 0x40F, 80},
                                                    {0x410, 0x42F, 32},
                                                    {0x460, 0x481, 0},
                                                    {0x48A, 0x4BF, 0},
                                                    {0x4D0, 0x52F, 0},
                                                    {0x531, 0x556, 48},
                                                    {0xFF21, 0xFF3A, 32}}};

char16_t SmallLetter(char16_t letter) {
  for (const LetterRange& range : kCapitals) {
    if (letter < range.first || letter > range.last) continue;
    if (range.offset == 0) return static_cast<char16_t>(letter | 1);
    return static_cast<char16_t>(letter + range.offset);
  }
  return letter;
}

}  // namespace

std::string LowerCase(std::string_view utf8) {
  std::string out(utf8);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto byte = [&](std::size_t at) -> unsigned {
      return at < out.size() ? static_cast<unsigned char>(out[at]) : 0;
    };
    if (out[i] >= 'A' && out[i] <= 'Z') {
      out[i] = static_cast<char>(out[i] + 32);
    } else if (byte(i) >= 0xC2 && byte(i) < 0xE0 && byte(i + 1) != 0) {
      const auto letter = static_cast<char16_t>(((byte(i) & 0x1F) << 6) | (byte(i + 1) & 0x3F));
      const char16_t small = SmallLetter(letter);
      out[i] = static_cast<char>(0xC0 | (small >> 6));
      out[++i] = static_cast<char>(0x80 | (small & 0x3F));
    } else if (byte(i) == 0xEF && byte(i + 1) == 0xBC && byte(i + 2) >= 0xA1 &&
               byte(i + 2) <= 0xBA) {
      // The full-width capitals end in A1 to BA, their small letters follow with another byte.
      const char16_t small = SmallLetter(static_cast<char16_t>(0xFF00 | (byte(i + 2) & 0x3F)));
      out[i + 1] = static_cast<char>(0x80 | ((small >> 6) & 0x3F));
      out[i + 2] = static_cast<char>(0x80 | (small & 0x3F));
    }
  }
  return out;
}

}  // namespace viv::tools::localmemory
