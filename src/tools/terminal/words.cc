#include "tools/terminal/words.h"

#include <array>

namespace viv::tools::terminal {
namespace {

// In the order in which they are looked for.
constexpr std::array<std::string_view, 8> kOperators = {"&&", "||", "|", ">", ">>", "<", "<<", ";"};
constexpr std::string_view kWhiteSpace = " \t\r\n";

bool IsWhiteSpace(char c) {
  return kWhiteSpace.find(c) != std::string_view::npos;
}

std::string_view OperatorAt(std::string_view line, std::size_t at) {
  for (std::string_view name : kOperators)
    if (line.substr(at).starts_with(name)) return name;
  return {};
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Reads one quoted stretch that begins at `at`; leaves `at` behind it.
Status TakeQuoted(std::string_view line, std::size_t& at, std::string& word) {
  const char quote = line[at++];
  while (at < line.size() && line[at] != quote) {
    if (quote == '"' && line[at] == '\\') {
      if (++at == line.size()) return Fail(ErrorCode::kInvalidArgument, "No escaped character");
      if (line[at] != '\\' && line[at] != '"') word += '\\';
    }
    word += line[at++];
  }
  if (at >= line.size()) return Fail(ErrorCode::kInvalidArgument, "No closing quotation");
  ++at;
  return {};
}

}  // namespace

Result<std::vector<std::string>> SplitWords(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;  // a word, which may be empty when it is quoted
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at];
    if (IsWhiteSpace(c)) {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
      ++at;
      continue;
    }
    inside = true;
    if (c == '\'' || c == '"') {
      RETURN_IF_ERROR(TakeQuoted(line, at, word));
    } else if (c == '\\') {
      if (++at == line.size()) return Fail(ErrorCode::kInvalidArgument, "No escaped character");
      word += line[at++];
    } else {
      word += c;
      ++at;
    }
  }
  if (inside) words.push_back(std::move(word));
  return words;
}

std::vector<Part> SplitAtOperators(std::string_view line) {
  std::vector<Part> parts;
  const auto add = [&](std::string_view text, bool is_operator) {
    text = Trimmed(text);
    if (!text.empty()) parts.push_back({std::string(text), is_operator});
  };
  std::size_t begin = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::string_view name = OperatorAt(line, at);
    if (name.empty()) {
      ++at;
      continue;
    }
    add(line.substr(begin, at - begin), false);
    add(name, true);
    at += name.size();
    begin = at;
  }
  add(line.substr(begin), false);
  return parts;
}

std::string_view FirstOperator(std::string_view line) {
  for (std::string_view name : kOperators)
    if (line.find(name) != std::string_view::npos) return name;
  return {};
}

}  // namespace viv::tools::terminal
