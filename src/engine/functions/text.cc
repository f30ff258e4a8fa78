// Words as SQL functions: folding for search, slugs, snippets, splitting.

#include <algorithm>
#include <vector>

#include "engine/functions/code_points.h"
#include "engine/functions/families.h"
#include "engine/functions/json_text.h"
#include "engine/limits/text_search.h"

namespace viv::engine::functions {
namespace {

constexpr std::size_t kPiecesMax = 100'000;
constexpr std::int64_t kSnippetMax = 100'000;

Result<Value> Fold(const Arguments& arguments) {
  return FoldText(arguments.Text(0));
}

Result<Value> Slug(const Arguments& arguments) {
  std::string folded = FoldText(arguments.Text(0));
  std::string out;
  bool gap = false;
  for (std::size_t at = 0; at < folded.size();) {
    char32_t letter = NextCodePoint(folded, at);
    if (letter == '\'' || letter == 0x2019) continue;  // "don't" is one word
    if (!IsWordCodePoint(letter)) {
      gap = true;
      continue;
    }
    if (gap && !out.empty()) out += '-';
    gap = false;
    AppendCodePoint(out, letter);
  }
  return out;
}

Result<Value> TitleCase(const Arguments& arguments) {
  std::string_view text = arguments.Text(0);
  std::string out;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    char32_t letter = NextCodePoint(text, at);
    AppendCodePoint(out, inside ? LowerCodePoint(letter) : UpperCodePoint(letter));
    inside = IsWordCodePoint(letter) || (inside && (letter == '\'' || letter == 0x2019));
  }
  return out;
}

Result<Value> SplitText(const Arguments& arguments) {
  std::string_view text = arguments.Text(0);
  std::string_view separator = arguments.Text(1);
  if (separator.empty()) return Invalid("the separator is empty");
  json::array pieces;
  std::size_t begin = 0;
  for (std::size_t at = FindText(text, separator); at != std::string_view::npos;
       at = FindText(text, separator, begin)) {
    if (pieces.size() >= kPiecesMax)
      return Invalid("more than " + std::to_string(kPiecesMax) + " pieces");
    pieces.emplace_back(text.substr(begin, at - begin));
    begin = at + separator.size();
  }
  pieces.emplace_back(text.substr(begin));
  ASSIGN_OR_RETURN(std::string json, JsonText(pieces));
  return Json{std::move(json)};
}

// A text as characters with single spaces, and its folded form with the character each byte is of.
struct Indexed {
  std::vector<char32_t> letters;
  std::string folded;
  std::vector<std::size_t> letter_of_byte;
};

Indexed IndexText(std::string_view text) {
  Indexed indexed;
  for (std::size_t at = 0; at < text.size();) {
    char32_t letter = NextCodePoint(text, at);
    if (IsSpaceCodePoint(letter)) letter = ' ';
    if (letter == ' ' && (indexed.letters.empty() || indexed.letters.back() == ' ')) continue;
    AppendFolded(indexed.folded, letter);
    indexed.letter_of_byte.resize(indexed.folded.size(), indexed.letters.size());
    indexed.letters.push_back(letter);
  }
  if (!indexed.letters.empty() && indexed.letters.back() == ' ') indexed.letters.pop_back();
  return indexed;
}

// Where to begin a window of `length` around the match, at the start of a word if one is near.
std::size_t WindowBegin(const Indexed& text, std::size_t match, std::size_t length) {
  std::size_t size = text.letters.size();
  if (size <= length) return 0;
  std::size_t lead = length / 3;
  std::size_t begin = std::min(match < lead ? 0 : match - lead, size - length);
  if (begin == 0 || text.letters[begin - 1] == ' ') return begin;
  for (std::size_t at = begin; at < match && at < begin + lead; ++at) {
    if (text.letters[at] == ' ') return at + 1;
  }
  return begin;
}

std::size_t WindowEnd(const Indexed& text,
                      std::size_t begin,
                      std::size_t length,
                      std::size_t keep) {
  std::size_t end = std::min(begin + length, text.letters.size());
  if (end == text.letters.size() || text.letters[end] == ' ') return end;
  for (std::size_t at = end; at > keep && at > begin + length / 2; --at) {
    if (text.letters[at - 1] == ' ') return at - 1;
  }
  return end;
}

Result<Value> WordSnippet(const Arguments& arguments) {
  ASSIGN_OR_RETURN(std::int64_t length, arguments.Integer(2));
  if (length < 1 || length > kSnippetMax) {
    return Invalid("the length must be between 1 and " + std::to_string(kSnippetMax));
  }
  Indexed text = IndexText(arguments.Text(0));
  std::string word = FoldText(arguments.Text(1));
  std::size_t found = word.empty() ? std::string::npos : FindText(text.folded, word);
  std::size_t match = found == std::string::npos ? 0 : text.letter_of_byte[found];
  std::size_t keep =
      found == std::string::npos ? 0 : text.letter_of_byte[found + word.size() - 1] + 1;
  std::size_t begin = WindowBegin(text, match, static_cast<std::size_t>(length));
  std::size_t end = WindowEnd(text, begin, static_cast<std::size_t>(length), keep);
  std::string out = begin > 0 ? "…" : "";
  for (std::size_t i = begin; i < end; ++i) AppendCodePoint(out, text.letters[i]);
  if (end < text.letters.size()) out += "…";
  return out;
}

}  // namespace

std::span<const Function> TextFunctions() {
  static constexpr Function kFunctions[] = {{"fold", 1, 1, Fold},
                                            {"slug", 1, 1, Slug},
                                            {"title_case", 1, 1, TitleCase},
                                            {"split", 2, 2, SplitText},
                                            {"word_snippet", 3, 3, WordSnippet}};
  return kFunctions;
}

}  // namespace viv::engine::functions
