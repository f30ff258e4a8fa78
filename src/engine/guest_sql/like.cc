#include "engine/guest_sql/like.h"

#include <vector>

namespace viv::engine::guest_sql {
namespace {

// The pattern as a list of what each place accepts: a text, any one character, or any run.
struct PatternPiece {
  enum class Kind { kText, kOne, kRun } kind;
  std::string_view text;
};

std::vector<PatternPiece> Compile(std::string_view pattern, std::string_view escape) {
  std::vector<PatternPiece> pieces;
  for (std::size_t i = 0; i < pattern.size();) {
    std::string_view character = CharacterAt(pattern, i);
    i += character.size();
    if (!escape.empty() && character == escape && i < pattern.size()) {
      character = CharacterAt(pattern, i);
      i += character.size();
      pieces.push_back({PatternPiece::Kind::kText, character});
    } else if (character == "%") {
      if (pieces.empty() || pieces.back().kind != PatternPiece::Kind::kRun)
        pieces.push_back({PatternPiece::Kind::kRun, {}});
    } else {
      pieces.push_back(
          {character == "_" ? PatternPiece::Kind::kOne : PatternPiece::Kind::kText, character});
    }
  }
  return pieces;
}

// On a mismatch the last run takes one character more: no recursion, and at most text times pattern
// steps.
bool Matches(std::string_view text, const std::vector<PatternPiece>& pieces) {
  std::size_t at = 0;
  std::size_t piece = 0;
  std::size_t run = pieces.size();
  std::size_t run_at = 0;
  while (at < text.size()) {
    std::string_view character = CharacterAt(text, at);
    const bool fits =
        piece < pieces.size() &&
        (pieces[piece].kind == PatternPiece::Kind::kOne ||
         (pieces[piece].kind == PatternPiece::Kind::kText && pieces[piece].text == character));
    if (fits) {
      ++piece;
      at += character.size();
    } else if (piece < pieces.size() && pieces[piece].kind == PatternPiece::Kind::kRun) {
      run = piece++;
      run_at = at;
    } else if (run < pieces.size()) {
      run_at += CharacterAt(text, run_at).size();
      at = run_at;
      piece = run + 1;
    } else {
      return false;
    }
  }
  while (piece < pieces.size() && pieces[piece].kind == PatternPiece::Kind::kRun) ++piece;
  return piece == pieces.size();
}

}  // namespace

std::string_view CharacterAt(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && Continues(text[end])) ++end;
  return text.substr(at, end - at);
}

bool LikeMatches(std::string_view text, std::string_view pattern, std::string_view escape) {
  return Matches(text, Compile(pattern, escape));
}

}  // namespace viv::engine::guest_sql
