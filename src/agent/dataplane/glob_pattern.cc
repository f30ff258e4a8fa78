#include "agent/dataplane/glob_pattern.h"

#include <algorithm>

#include "agent/dataplane/glob_braces.h"
#include "base/text.h"

namespace viv::agent {
namespace {

constexpr std::size_t kGlobBytesMax = 1024;
constexpr std::size_t kGlobNodesMax = 4096;

struct Character {
  char32_t value = 0;
  std::size_t length = 1;
};

// The character at `at`. A byte that is no UTF-8 is a character of its own beyond Unicode, which a
// `?` takes and no class names.
Character CharacterAt(std::string_view text, std::size_t at) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byte(at);
  if (first < 0x80) return {first, 1};
  std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || at + length > text.size() || !IsValidUtf8(text.substr(at, length))) {
    return {char32_t{0x110000} + first, 1};
  }
  char32_t value = first & (0x7F >> length);
  for (std::size_t i = 1; i < length; ++i) value = value << 6 | (byte(at + i) & 0x3F);
  return {value, length};
}

bool IsAnyDepth(std::string_view segment) {
  return segment.size() >= 2 && segment.find_first_not_of('*') == std::string_view::npos;
}

tl::unexpected<Error> RefuseGlob(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

}  // namespace

Result<GlobPattern> GlobPattern::Parse(std::string_view text) {
  if (text.empty()) return RefuseGlob("the pattern is empty");
  if (text.size() > kGlobBytesMax) {
    return RefuseGlob("the pattern is longer than " + std::to_string(kGlobBytesMax) + " bytes");
  }
  if (text.find('\0') != std::string_view::npos) return RefuseGlob("the pattern has a zero byte");
  ASSIGN_OR_RETURN(std::vector<std::string> alternatives, ExpandBraces(text));
  GlobPattern pattern;
  for (const std::string& alternative : alternatives) {
    RETURN_IF_ERROR(pattern.AddAlternative(alternative));
  }
  if (pattern.nodes_.size() > kGlobNodesMax) return RefuseGlob("the pattern has too many segments");
  return pattern;
}

Status GlobPattern::AddAlternative(std::string_view text) {
  if (text.starts_with('/')) {
    return RefuseGlob("the pattern begins with a slash: it is matched below the path searched");
  }
  std::size_t start = nodes_.size();
  for (std::string_view segment : Split(text, '/')) {
    if (segment.empty() || segment == ".") continue;
    if (segment == "..") return RefuseGlob("the pattern leads upwards with \"..\"");
    Node node;
    if (IsAnyDepth(segment)) {
      bool repeated = nodes_.size() > start && nodes_.back().kind == Node::Kind::kAnyDepth;
      if (repeated) continue;
      node.kind = Node::Kind::kAnyDepth;
    } else {
      ASSIGN_OR_RETURN(node.tokens, ParseSegment(segment));
    }
    nodes_.push_back(std::move(node));
  }
  if (nodes_.size() == start) return RefuseGlob("the pattern names nothing");
  nodes_.push_back({.kind = Node::Kind::kEnd});
  starts_.push_back(static_cast<std::uint16_t>(start));
  return {};
}

Result<std::vector<GlobPattern::Token>> GlobPattern::ParseSegment(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    Token token;
    if (text[at] == '[') {
      ASSIGN_OR_RETURN(token, ParseClass(text, at));
    } else if (text[at] == '*') {
      token.kind = Token::Kind::kMany;
      ++at;
      if (!tokens.empty() && tokens.back().kind == Token::Kind::kMany) continue;
    } else if (text[at] == '?') {
      token.kind = Token::Kind::kOne;
      ++at;
    } else {
      if (text[at] == '\\' && ++at == text.size()) {
        return RefuseGlob("a '\\' stands before nothing");
      }
      Character character = CharacterAt(text, at);
      token.character = character.value;
      at += character.length;
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

Result<GlobPattern::Token> GlobPattern::ParseClass(std::string_view text, std::size_t& at) {
  std::size_t close = EndOfClass(text, at);
  if (close == std::string_view::npos) {
    return RefuseGlob("a '[' is not closed; write \\[ for the character");
  }
  Token token{.kind = Token::Kind::kClass};
  ++at;
  token.negated = text[at] == '!' || text[at] == '^';
  if (token.negated) ++at;
  auto take = [&] {
    if (text[at] == '\\' && at + 1 < close) ++at;
    Character character = CharacterAt(text.substr(0, close), at);
    at += character.length;
    return character.value;
  };
  while (at < close) {
    char32_t first = take();
    char32_t last = first;
    if (at + 1 < close && text[at] == '-') {
      ++at;
      last = take();
    }
    if (last < first) return RefuseGlob("a range in [...] runs backwards");
    token.ranges.emplace_back(first, last);
  }
  if (token.ranges.empty()) return RefuseGlob("a [...] names no characters");
  at = close + 1;
  return token;
}

bool GlobPattern::FitsOne(const Token& token, char32_t character) {
  if (token.kind == Token::Kind::kOne) return true;
  if (token.kind == Token::Kind::kCharacter) return token.character == character;
  bool named = std::any_of(token.ranges.begin(), token.ranges.end(), [&](const auto& range) {
    return range.first <= character && character <= range.second;
  });
  return named != token.negated;
}

// Only the last `*` is ever tried again: what an earlier one could take more, it can take as well.
bool GlobPattern::Fits(const std::vector<Token>& tokens, std::string_view name) {
  std::size_t token = 0;
  std::size_t at = 0;
  std::size_t many = tokens.size();  // the last `*`; none yet
  std::size_t many_at = 0;           // where what it takes ends
  while (at < name.size()) {
    if (token < tokens.size() && tokens[token].kind == Token::Kind::kMany) {
      many = token++;
      many_at = at;
      continue;
    }
    Character character = CharacterAt(name, at);
    if (token < tokens.size() && FitsOne(tokens[token], character.value)) {
      ++token;
      at += character.length;
      continue;
    }
    if (many == tokens.size()) return false;
    many_at += CharacterAt(name, many_at).length;
    at = many_at;
    token = many + 1;
  }
  while (token < tokens.size() && tokens[token].kind == Token::Kind::kMany) ++token;
  return token == tokens.size();
}

void GlobPattern::Insert(State& state, std::size_t node) const {
  for (;; ++node) {
    auto number = static_cast<std::uint16_t>(node);
    auto place = std::lower_bound(state.begin(), state.end(), number);
    if (place == state.end() || *place != number) state.insert(place, number);
    if (nodes_[node].kind != Node::Kind::kAnyDepth) return;  // which may also stand for nothing
  }
}

GlobPattern::State GlobPattern::Start() const {
  State state;
  for (std::uint16_t start : starts_) Insert(state, start);
  return state;
}

GlobPattern::State GlobPattern::Advance(const State& state, std::string_view name) const {
  State next = AdvanceThroughLink(state, name);
  for (std::uint16_t node : state) {
    if (nodes_[node].kind == Node::Kind::kAnyDepth) Insert(next, node);
  }
  return next;
}

GlobPattern::State GlobPattern::AdvanceThroughLink(const State& state,
                                                   std::string_view name) const {
  State next;
  for (std::uint16_t node : state) {
    if (nodes_[node].kind != Node::Kind::kSegment) continue;
    if (Fits(nodes_[node].tokens, name)) Insert(next, node + std::size_t{1});
  }
  return next;
}

bool GlobPattern::Accepts(const State& state) const {
  return std::any_of(state.begin(), state.end(),
                     [&](std::uint16_t node) { return nodes_[node].kind == Node::Kind::kEnd; });
}

bool GlobPattern::Continues(const State& state) const {
  return std::any_of(state.begin(), state.end(),
                     [&](std::uint16_t node) { return nodes_[node].kind != Node::Kind::kEnd; });
}

bool GlobPattern::Matches(std::string_view path) const {
  State state = Start();
  for (std::string_view name : Split(path, '/')) state = Advance(state, name);
  return Accepts(state);
}

}  // namespace viv::agent
