#pragma once
// Searching in texts that are not ours: in time linear in the text where that is possible, and
// charged to the work of the call (work.h) where it is not.

#include <bitset>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace viv::engine {

// Whether the byte belongs to a character of UTF-8 that began before it.
inline bool Continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}
std::string_view CharacterAt(std::string_view text, std::size_t at);  // the whole of it
std::string_view LastCharacter(std::string_view text);                // of a text that has one
std::size_t CountCharacters(std::string_view text);

// As text.find(wanted, from), but linear whatever the two are.
std::size_t FindText(std::string_view text, std::string_view wanted, std::size_t from = 0);

// Characters of UTF-8, asked for one by one.
class CharacterSet {
 public:
  explicit CharacterSet(std::string_view characters);
  bool Contains(std::string_view character) const;

 private:
  std::bitset<256> single_;                         // characters of one byte
  std::set<std::string_view, std::less<>> longer_;  // borrowed from the text it was made of
};

enum class TrimSide { kLeft, kRight, kBoth };
std::string_view TrimCharacters(std::string_view text, const CharacterSet& set, TrimSide side);

// A pattern of LIKE (% and _, with an escape character that may be empty) or of GLOB (* and ?, with
// sets in brackets).
struct WildcardPattern {
  enum class Kind { kLike, kGlob };
  enum class CaseMode { kSensitive, kIgnoreAsciiCase };
  std::string_view pattern;
  std::string_view escape = {};
  Kind kind = Kind::kLike;
  CaseMode case_mode = CaseMode::kSensitive;
};

// Takes text times pattern steps at most and no memory. Nothing when the call's work was used up
// before there was an answer.
std::optional<bool> MatchWildcards(std::string_view text, const WildcardPattern& pattern);

}  // namespace viv::engine
