#include "agent/dataplane/glob_braces.h"

#include <algorithm>

namespace viv::agent {
namespace {

constexpr std::size_t kAlternativesMax = 64;
constexpr std::size_t kExpandedBytesMax = 8 * 1024;
constexpr std::size_t kNowhere = std::string_view::npos;

// What comes after the character at `at`, which may be an escape or open a class.
std::size_t SkipGlobUnit(std::string_view pattern, std::size_t at) {
  if (pattern[at] == '\\') return at + 2;
  if (pattern[at] != '[') return at + 1;
  std::size_t close = EndOfClass(pattern, at);
  return close == kNowhere ? at + 1 : close + 1;
}

std::size_t FindOpenBrace(std::string_view pattern) {
  for (std::size_t at = 0; at < pattern.size(); at = SkipGlobUnit(pattern, at)) {
    if (pattern[at] == '{') return at;
  }
  return kNowhere;
}

struct Brace {
  std::size_t close = kNowhere;
  std::vector<std::string_view> choices;
};

Brace ReadBrace(std::string_view pattern, std::size_t open) {
  Brace brace;
  std::size_t depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t at = open; at < pattern.size(); at = SkipGlobUnit(pattern, at)) {
    char c = pattern[at];
    if (c == '{') ++depth;
    bool ends = c == '}' && --depth == 0;
    if (ends || (c == ',' && depth == 1)) {
      brace.choices.push_back(pattern.substr(begin, at - begin));
      begin = at + 1;
    }
    if (ends) {
      brace.close = at;
      break;
    }
  }
  return brace;
}

}  // namespace

std::size_t EndOfClass(std::string_view pattern, std::size_t open) {
  std::size_t at = open + 1;
  if (at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^')) ++at;
  if (at < pattern.size() && pattern[at] == ']') ++at;  // the first one stands for itself
  for (; at < pattern.size() && pattern[at] != ']'; ++at) {
    if (pattern[at] == '\\') ++at;
  }
  return at < pattern.size() ? at : kNowhere;
}

Result<std::vector<std::string>> ExpandBraces(std::string_view pattern) {
  std::vector<std::string> expanded;
  std::vector<std::string> waiting{std::string(pattern)};
  std::size_t bytes = 0;
  while (!waiting.empty()) {
    std::string next = std::move(waiting.back());
    waiting.pop_back();
    std::string_view text = next;
    std::size_t open = FindOpenBrace(text);
    if (open == kNowhere) {
      bytes += next.size();
      expanded.push_back(std::move(next));
      continue;
    }
    Brace brace = ReadBrace(text, open);
    if (brace.close == kNowhere) {
      return Fail(ErrorCode::kInvalidArgument, "a '{' is not closed; write \\{ for the character");
    }
    if (expanded.size() + waiting.size() + brace.choices.size() > kAlternativesMax) {
      return Fail(ErrorCode::kInvalidArgument, "the braces give too many alternatives");
    }
    for (auto choice = brace.choices.rbegin(); choice != brace.choices.rend(); ++choice) {
      std::string written(text.substr(0, open));
      written.append(*choice).append(text.substr(brace.close + 1));
      waiting.push_back(std::move(written));
    }
  }
  if (bytes > kExpandedBytesMax) {
    return Fail(ErrorCode::kInvalidArgument, "the braces give too long a pattern");
  }
  return expanded;
}

}  // namespace viv::agent
