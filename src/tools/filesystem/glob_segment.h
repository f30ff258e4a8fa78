#pragma once
// One part of a glob, between two slashes: literal characters, ? and *, [classes], and groups such
// as +(a|b) or !(c). A pattern is foreign, so matching has no backtracking: for every element the
// set of positions is kept from which the rest of the pattern reaches the end of the name.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace viv::tools::filesystem {

class GlobSegment {
 public:
  explicit GlobSegment(std::u16string_view pattern);

  bool Matches(std::u16string_view name) const;

  struct Element;
  using Sequence = std::vector<Element>;

 private:
  Sequence elements_;
};

enum class CharacterKind {
  kAlpha,
  kDigit,
  kAlnum,
  kUpper,
  kLower,
  kSpace,
  kBlank,
  kPunct,
  kXdigit,
  kWord,
  kCntrl,
  kGraph,
  kPrint,
  kAscii
};

struct GlobSegment::Element {
  enum class Kind { kCharacter, kAny, kStar, kClass, kGroup };
  Kind kind = Kind::kCharacter;
  char16_t character = 0;                               // of kCharacter; of kGroup ? * + @ or !
  bool negated = false;                                 // of kClass
  std::vector<std::pair<char16_t, char16_t>> ranges{};  // of kClass
  std::vector<CharacterKind> kinds{};                   // of kClass
  std::vector<Sequence> alternatives{};                 // of kGroup
};

}  // namespace viv::tools::filesystem
