#include "engine/limits/text_search.h"

#include <string.h>  // NOLINT: memmem is not in <cstring>

#include <algorithm>

#include "engine/limits/work.h"

namespace viv::engine {
namespace {

char Folded(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

char32_t CodePoint(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1 || first < 0xC0) return first;
  char32_t code = first & (0xFFU >> (character.size() + 1));
  for (std::size_t i = 1; i < character.size(); ++i)
    code = code << 6 | (static_cast<unsigned char>(character[i]) & 0x3FU);
  return code;
}

// One try: text and pattern from their beginnings, with the last run of anything to go back to.
class WildcardMatch {
 public:
  WildcardMatch(std::string_view text, const WildcardPattern& pattern)
      : text_(text), pattern_(pattern.pattern), how_(pattern) {}

  std::optional<bool> Run() {
    const char run = how_.kind == WildcardPattern::Kind::kLike ? '%' : '*';
    while (at_ < text_.size()) {
      if (!work_.Step()) return std::nullopt;
      if (piece_ < pattern_.size() && pattern_[piece_] == run && !IsEscape(piece_)) {
        run_piece_ = ++piece_;
        run_at_ = at_;
        SkipToCandidate();
      } else if (!TakePiece()) {
        if (run_piece_ == std::string_view::npos) return false;
        run_at_ += CharacterAt(text_, run_at_).size();
        at_ = run_at_;
        piece_ = run_piece_;
        SkipToCandidate();
      }
    }
    while (piece_ < pattern_.size() && pattern_[piece_] == run && !IsEscape(piece_)) ++piece_;
    return piece_ >= pattern_.size();
  }

 private:
  bool IsEscape(std::size_t piece) const {
    return !how_.escape.empty() && pattern_.substr(piece).starts_with(how_.escape);
  }

  bool IsSpecial(char c) const {
    return how_.kind == WildcardPattern::Kind::kLike ? c == '%' || c == '_'
                                                     : c == '*' || c == '?' || c == '[';
  }

  bool Same(std::string_view a, std::string_view b) const {
    if (a == b) return true;
    return how_.case_mode == WildcardPattern::CaseMode::kIgnoreAsciiCase && a.size() == 1 &&
           b.size() == 1 && Folded(a[0]) == Folded(b[0]);
  }

  // A run is followed by a plain character as a rule: what lies before its next one belongs to the
  // run.
  void SkipToCandidate() {
    if (piece_ >= pattern_.size() || IsEscape(piece_)) return;
    const char first = pattern_[piece_];
    if (IsSpecial(first) || static_cast<unsigned char>(first) >= 0x80) return;
    std::size_t found = at_;
    if (how_.case_mode == WildcardPattern::CaseMode::kSensitive) {
      found = std::min(text_.find(first, at_), text_.size());
    } else {
      const char small = Folded(first);
      const char large =
          small >= 'a' && small <= 'z' ? static_cast<char>(small - 'a' + 'A') : small;
      while (found < text_.size() && text_[found] != small && text_[found] != large) ++found;
    }
    skipped_ += found - at_;
    if (skipped_ > (1U << 20)) {
      ChargeWork(skipped_);  // the next step sees it when this was too much
      skipped_ = 0;
    }
    run_at_ = at_ = found;
  }

  // Whether the character of the text fits the pattern's next piece; both are passed when it does.
  bool TakePiece() {
    if (piece_ >= pattern_.size()) return false;
    const char first = pattern_[piece_];
    if (static_cast<unsigned char>(first) < 0x80 && !IsSpecial(first) && !IsEscape(piece_)) {
      const char c = text_[at_];
      if (c != first && !(how_.case_mode == WildcardPattern::CaseMode::kIgnoreAsciiCase &&
                          Folded(c) == Folded(first)))
        return false;
      ++at_;
      ++piece_;
      return true;
    }
    const std::string_view character = CharacterAt(text_, at_);
    std::size_t next = piece_;
    if (IsEscape(piece_)) {
      next += how_.escape.size();
      if (next >= pattern_.size()) return false;  // an escape with nothing behind it fits nothing
    } else if (pattern_[piece_] == '_' && how_.kind == WildcardPattern::Kind::kLike) {
      return Pass(character, piece_ + 1);
    } else if (pattern_[piece_] == '?' && how_.kind == WildcardPattern::Kind::kGlob) {
      return Pass(character, piece_ + 1);
    } else if (pattern_[piece_] == '[' && how_.kind == WildcardPattern::Kind::kGlob) {
      return TakeSet(character);
    }
    const std::string_view wanted = CharacterAt(pattern_, next);
    return Same(character, wanted) && Pass(character, next + wanted.size());
  }

  bool Pass(std::string_view character, std::size_t next_piece) {
    at_ += character.size();
    piece_ = next_piece;
    return true;
  }

  // [abc], [a-z], [^…]; a closing bracket that comes first belongs to the set.
  bool TakeSet(std::string_view character) {
    const char32_t wanted = CodePoint(character);
    std::size_t at = piece_ + 1;
    const bool inverted = at < pattern_.size() && pattern_[at] == '^';
    if (inverted) ++at;
    bool found = false;
    constexpr char32_t kNoCharacter = 0xFFFFFFFF;
    char32_t previous = kNoCharacter;
    for (bool first = true; at < pattern_.size(); first = false) {
      if (!work_.Step()) return false;
      const std::string_view member = CharacterAt(pattern_, at);
      at += member.size();
      if (member == "]" && !first) return found != inverted && Pass(character, at);
      if (member == "-" && previous != kNoCharacter && at < pattern_.size() &&
          pattern_[at] != ']') {
        const std::string_view last = CharacterAt(pattern_, at);
        at += last.size();
        found = found || (wanted >= previous && wanted <= CodePoint(last));
        previous = kNoCharacter;
        continue;
      }
      found = found || CodePoint(member) == wanted;
      previous = CodePoint(member);
    }
    return false;  // the set is never closed
  }

  std::string_view text_;
  std::string_view pattern_;
  const WildcardPattern& how_;
  std::size_t at_ = 0;
  std::size_t piece_ = 0;
  std::size_t run_piece_ = std::string_view::npos;  // what follows the last run
  std::size_t run_at_ = 0;                          // where that was tried last
  std::size_t skipped_ = 0;
  WorkCounter work_;
};

}  // namespace

std::string_view CharacterAt(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && Continues(text[end])) ++end;
  return text.substr(at, end - at);
}

std::string_view LastCharacter(std::string_view text) {
  std::size_t begin = text.size() - 1;
  while (begin > 0 && Continues(text[begin])) --begin;
  return text.substr(begin);
}

std::size_t CountCharacters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !Continues(c); }));
}

std::size_t FindText(std::string_view text, std::string_view wanted, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (wanted.empty()) return from;
  // Two-way search: no text makes it quadratic, as it would std::string_view::find.
  const void* found =
      ::memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

CharacterSet::CharacterSet(std::string_view characters) {
  for (std::size_t at = 0; at < characters.size();) {
    const std::string_view character = CharacterAt(characters, at);
    at += character.size();
    if (character.size() == 1) {
      single_.set(static_cast<unsigned char>(character[0]));
    } else {
      longer_.insert(character);
    }
  }
}

bool CharacterSet::Contains(std::string_view character) const {
  if (character.size() == 1) return single_.test(static_cast<unsigned char>(character[0]));
  return !longer_.empty() && longer_.contains(character);
}

std::string_view TrimCharacters(std::string_view text, const CharacterSet& set, TrimSide side) {
  while (side != TrimSide::kRight && !text.empty()) {
    const std::string_view first = CharacterAt(text, 0);
    if (!set.Contains(first)) break;
    text.remove_prefix(first.size());
  }
  while (side != TrimSide::kLeft && !text.empty()) {
    const std::string_view last = LastCharacter(text);
    if (!set.Contains(last)) break;
    text.remove_suffix(last.size());
  }
  return text;
}

std::optional<bool> MatchWildcards(std::string_view text, const WildcardPattern& pattern) {
  return WildcardMatch(text, pattern).Run();
}

}  // namespace viv::engine
