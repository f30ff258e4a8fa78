#include "engine/functions/letters.h"

#include <array>
#include <iterator>

#include "engine/functions/fold_table.h"

namespace viv::engine::functions {
namespace {

constexpr char32_t kReplacement = 0xfffd;

// In these ranges a capital and its small letter alternate; `capital` is the parity of the
// capitals.
struct Pairs {
  char32_t first;
  char32_t last;
  char32_t capital;
};
constexpr Pairs kPairs[] = {{0x0100, 0x012f, 0}, {0x0132, 0x0137, 0}, {0x0139, 0x0148, 1},
                            {0x014a, 0x0177, 0}, {0x0179, 0x017e, 1}, {0x01cd, 0x01dc, 1},
                            {0x01de, 0x01ef, 0}, {0x01f8, 0x021f, 0}, {0x0222, 0x0233, 0},
                            {0x0460, 0x0481, 0}, {0x048a, 0x04bf, 0}, {0x04d0, 0x052f, 0},
                            {0x1e00, 0x1e95, 0}, {0x1ea0, 0x1eff, 0}};

// In these the small letters follow at a distance.
struct Block {
  char32_t first;
  char32_t last;
  char32_t distance;
};
constexpr Block kBlocks[] = {{'A', 'Z', 32},       {0x00c0, 0x00d6, 32}, {0x00d8, 0x00de, 32},
                             {0x0391, 0x03a1, 32}, {0x03a3, 0x03ab, 32}, {0x0400, 0x040f, 80},
                             {0x0410, 0x042f, 32}};

bool IsWithin(char32_t letter, char32_t first, char32_t last) {
  return letter >= first && letter <= last;
}

std::size_t LengthOf(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

bool IsValid(char32_t letter, std::size_t length) {
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  return letter >= kSmallest[length] && letter <= 0x10ffff && !IsWithin(letter, 0xd800, 0xdfff);
}

}  // namespace

char32_t TakeLetter(std::string_view text, std::size_t& at) {
  auto first = static_cast<unsigned char>(text[at]);
  std::size_t length = LengthOf(first);
  if (length == 1 || length == 0 || at + length > text.size()) {
    ++at;
    return length == 1 ? first : kReplacement;
  }
  char32_t letter = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    auto byte = static_cast<unsigned char>(text[at + i]);
    if ((byte & 0xc0) != 0x80) {
      ++at;
      return kReplacement;
    }
    letter = (letter << 6) | (byte & 0x3fU);
  }
  at += IsValid(letter, length) ? length : 1;
  return IsValid(letter, length) ? letter : kReplacement;
}

void AppendLetter(std::string& out, char32_t letter) {
  if (letter > 0x10ffff || IsWithin(letter, 0xd800, 0xdfff)) letter = kReplacement;
  auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((letter >> shift) & 0x3f)); };
  if (letter < 0x80) {
    out += static_cast<char>(letter);
  } else if (letter < 0x800) {
    out += static_cast<char>(0xc0 | (letter >> 6));
    tail(0);
  } else if (letter < 0x10000) {
    out += static_cast<char>(0xe0 | (letter >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | (letter >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

char32_t LowerLetter(char32_t letter) {
  for (const Block& block : kBlocks) {
    if (IsWithin(letter, block.first, block.last)) return letter + block.distance;
  }
  for (const Pairs& pairs : kPairs) {
    if (IsWithin(letter, pairs.first, pairs.last))
      return letter % 2 == pairs.capital ? letter + 1 : letter;
  }
  return letter == 0x0178 ? 0x00ff : letter;
}

char32_t UpperLetter(char32_t letter) {
  if (letter == 0x03c2) return 0x03a3;  // the sigma at the end of a word
  for (const Block& block : kBlocks) {
    if (IsWithin(letter, block.first + block.distance, block.last + block.distance)) {
      return letter - block.distance;
    }
  }
  for (const Pairs& pairs : kPairs) {
    if (IsWithin(letter, pairs.first, pairs.last))
      return letter % 2 == pairs.capital ? letter : letter - 1;
  }
  return letter == 0x00ff ? 0x0178 : letter;
}

bool IsSpaceLetter(char32_t letter) {
  return letter == ' ' || IsWithin(letter, 0x09, 0x0d) || letter == 0xa0 || letter == 0x1680 ||
         IsWithin(letter, 0x2000, 0x200a) || letter == 0x2028 || letter == 0x2029 ||
         letter == 0x202f || letter == 0x205f || letter == 0x3000;
}

bool IsWordLetter(char32_t letter) {
  if (letter < 0x80) {
    return IsWithin(letter, '0', '9') || IsWithin(letter, 'a', 'z') || IsWithin(letter, 'A', 'Z');
  }
  // Latin-1 signs, general punctuation to miscellaneous signs, CJK and full-width punctuation.
  bool sign = letter < 0xaa || IsWithin(letter, 0xab, 0xb4) || IsWithin(letter, 0xb6, 0xb9) ||
              IsWithin(letter, 0xbb, 0xbf) || letter == 0xd7 || letter == 0xf7 ||
              IsWithin(letter, 0x2000, 0x2bff) || IsWithin(letter, 0x3000, 0x3004) ||
              IsWithin(letter, 0x3008, 0x3020) || IsWithin(letter, 0xff00, 0xff0f) ||
              IsWithin(letter, 0xff1a, 0xff20) || letter == 0xfeff || letter == kReplacement ||
              IsWithin(letter, 0x1f000, 0x1faff);
  return !sign;
}

void AppendFolded(std::string& out, char32_t letter) {
  if (IsWithin(letter, 0x0300, 0x036f)) return;  // an accent that follows its letter
  std::string_view folded;
  if (letter >= kFoldLatinFirst && letter < kFoldLatinFirst + std::size(kFoldLatin)) {
    folded = kFoldLatin[letter - kFoldLatinFirst];
  } else if (letter >= kFoldAdditionalFirst &&
             letter < kFoldAdditionalFirst + std::size(kFoldAdditional)) {
    folded = kFoldAdditional[letter - kFoldAdditionalFirst];
  }
  if (folded.empty()) {
    AppendLetter(out, LowerLetter(letter));
  } else {
    out += folded;
  }
}

std::string FoldText(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) AppendFolded(out, TakeLetter(text, at));
  return out;
}

}  // namespace viv::engine::functions
