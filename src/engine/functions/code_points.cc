#include "engine/functions/code_points.h"

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

bool IsWithin(char32_t code_point, char32_t first, char32_t last) {
  return code_point >= first && code_point <= last;
}

std::size_t LengthOf(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

bool IsValid(char32_t code_point, std::size_t length) {
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  return code_point >= kSmallest[length] && code_point <= 0x10ffff &&
         !IsWithin(code_point, 0xd800, 0xdfff);
}

}  // namespace

char32_t NextCodePoint(std::string_view text, std::size_t& at) {
  auto first = static_cast<unsigned char>(text[at]);
  std::size_t length = LengthOf(first);
  if (length == 1 || length == 0 || at + length > text.size()) {
    ++at;
    return length == 1 ? first : kReplacement;
  }
  char32_t code_point = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    auto byte = static_cast<unsigned char>(text[at + i]);
    if ((byte & 0xc0) != 0x80) {
      ++at;
      return kReplacement;
    }
    code_point = (code_point << 6) | (byte & 0x3fU);
  }
  at += IsValid(code_point, length) ? length : 1;
  return IsValid(code_point, length) ? code_point : kReplacement;
}

void AppendCodePoint(std::string& out, char32_t code_point) {
  if (code_point > 0x10ffff || IsWithin(code_point, 0xd800, 0xdfff)) code_point = kReplacement;
  auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code_point >> shift) & 0x3f)); };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xc0 | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xe0 | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

char32_t LowerCodePoint(char32_t code_point) {
  for (const Block& block : kBlocks) {
    if (IsWithin(code_point, block.first, block.last)) return code_point + block.distance;
  }
  for (const Pairs& pairs : kPairs) {
    if (IsWithin(code_point, pairs.first, pairs.last))
      return code_point % 2 == pairs.capital ? code_point + 1 : code_point;
  }
  return code_point == 0x0178 ? 0x00ff : code_point;
}

char32_t UpperCodePoint(char32_t code_point) {
  if (code_point == 0x03c2) return 0x03a3;  // the sigma at the end of a word
  for (const Block& block : kBlocks) {
    if (IsWithin(code_point, block.first + block.distance, block.last + block.distance)) {
      return code_point - block.distance;
    }
  }
  for (const Pairs& pairs : kPairs) {
    if (IsWithin(code_point, pairs.first, pairs.last))
      return code_point % 2 == pairs.capital ? code_point : code_point - 1;
  }
  return code_point == 0x00ff ? 0x0178 : code_point;
}

bool IsSpaceCodePoint(char32_t code_point) {
  return code_point == ' ' || IsWithin(code_point, 0x09, 0x0d) || code_point == 0xa0 ||
         code_point == 0x1680 || IsWithin(code_point, 0x2000, 0x200a) || code_point == 0x2028 ||
         code_point == 0x2029 || code_point == 0x202f || code_point == 0x205f ||
         code_point == 0x3000;
}

bool IsWordCodePoint(char32_t code_point) {
  if (code_point < 0x80) {
    return IsWithin(code_point, '0', '9') || IsWithin(code_point, 'a', 'z') ||
           IsWithin(code_point, 'A', 'Z');
  }
  // Latin-1 signs, general punctuation to miscellaneous signs, CJK and full-width punctuation.
  bool sign = code_point < 0xaa || IsWithin(code_point, 0xab, 0xb4) ||
              IsWithin(code_point, 0xb6, 0xb9) || IsWithin(code_point, 0xbb, 0xbf) ||
              code_point == 0xd7 || code_point == 0xf7 || IsWithin(code_point, 0x2000, 0x2bff) ||
              IsWithin(code_point, 0x3000, 0x3004) || IsWithin(code_point, 0x3008, 0x3020) ||
              IsWithin(code_point, 0xff00, 0xff0f) || IsWithin(code_point, 0xff1a, 0xff20) ||
              code_point == 0xfeff || code_point == kReplacement ||
              IsWithin(code_point, 0x1f000, 0x1faff);
  return !sign;
}

void AppendFolded(std::string& out, char32_t code_point) {
  if (IsWithin(code_point, 0x0300, 0x036f)) return;  // an accent that follows its letter
  std::string_view folded;
  if (code_point >= kFoldLatinFirst && code_point < kFoldLatinFirst + std::size(kFoldLatin)) {
    folded = kFoldLatin[code_point - kFoldLatinFirst];
  } else if (code_point >= kFoldAdditionalFirst &&
             code_point < kFoldAdditionalFirst + std::size(kFoldAdditional)) {
    folded = kFoldAdditional[code_point - kFoldAdditionalFirst];
  }
  if (folded.empty()) {
    AppendCodePoint(out, LowerCodePoint(code_point));
  } else {
    out += folded;
  }
}

std::string FoldText(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) AppendFolded(out, NextCodePoint(text, at));
  return out;
}

}  // namespace viv::engine::functions
