#include "engine/query/words.h"

#include <absl/strings/ascii.h>

#include "base/text.h"

namespace viv::engine::query {
namespace {

struct Word {
  std::string_view text;
  bool quoted = false;
};

// Takes the next word or "phrase" from the front of `text`, which does not start with a blank.
Word TakeWord(std::string_view& text) {
  if (text.front() == '"') {
    std::size_t close = text.find('"', 1);
    Word word{text.substr(1, close == text.npos ? text.npos : close - 1), true};
    text.remove_prefix(close == text.npos ? text.size() : close + 1);
    return word;
  }
  std::size_t end = 0;
  while (end < text.size() && !absl::ascii_isspace(static_cast<unsigned char>(text[end]))) ++end;
  Word word{text.substr(0, end)};
  text.remove_prefix(end);
  return word;
}

}  // namespace

std::string_view PlainWord(std::string_view word) {
  if (word.size() > 1 && word.front() == '+') word.remove_prefix(1);
  while (word.size() > 1 && word.back() == '*') word.remove_suffix(1);
  return word;
}

Result<Condition> ContainsWords(const Field& field, std::string_view text, TermBudget& budget) {
  std::vector<Condition> alternatives;
  std::vector<Condition> words;
  bool negated = false;
  for (text = Trim(text); !text.empty(); text = Trim(text)) {
    bool minus = text.size() > 1 && (text[0] == '-' || text[0] == '!') && text[1] != ' ';
    if (minus) text.remove_prefix(1);
    Word word = TakeWord(text);
    if (!word.quoted && word.text == "AND") continue;
    if (!word.quoted && word.text == "NOT") {
      negated = true;
      continue;
    }
    if (!word.quoted && word.text == "OR") {
      if (!words.empty()) alternatives.push_back(Condition::All(std::exchange(words, {})));
      continue;
    }
    RETURN_IF_ERROR(budget.Take());
    std::string_view plain = word.quoted ? word.text : PlainWord(word.text);
    Condition test = Condition::Test(field, Operator::kContains, std::string(plain));
    bool unwanted = std::exchange(negated, false) || minus;
    words.push_back(unwanted ? Condition::Not(std::move(test)) : std::move(test));
  }
  if (!words.empty() || alternatives.empty()) {
    alternatives.push_back(Condition::All(std::move(words)));
  }
  return Condition::Any(std::move(alternatives));
}

}  // namespace viv::engine::query
