#pragma once
// A pattern of file names: `*`, `?`, `[a-z]` and `[!a-z]` within a segment, `**` for any number of
// segments, `{a,b}` for either, `\` before a character that stands for itself. Paths are matched
// segment by segment, as a walk goes down, so that it need not enter what nothing can match. Names
// that begin with a dot are like others.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace viv::agent {

class GlobPattern {
 public:
  // kInvalidArgument for what is no pattern, and for one that is too large or has too many
  // alternatives. It is relative: a leading slash or ".." is refused.
  static Result<GlobPattern> Parse(std::string_view text);

  // How far the segments so far have come in the pattern, in all the ways they can.
  using State = std::vector<std::uint16_t>;
  State Start() const;
  // With one more segment.
  State Advance(const State& state, std::string_view name) const;
  // The same for a link that is to be entered: `**` does not go through links, or it would go round
  // in circles; a segment of its own does.
  State AdvanceThroughLink(const State& state, std::string_view name) const;

  bool Accepts(const State& state) const;    // the path fits
  bool Continues(const State& state) const;  // longer ones may

  bool Matches(std::string_view path) const;  // relative, segments divided by single slashes

 private:
  struct Token {
    enum class Kind { kCharacter, kOne, kMany, kClass };
    Kind kind = Kind::kCharacter;
    char32_t character = 0;
    bool negated = false;
    std::vector<std::pair<char32_t, char32_t>> ranges = {};
  };
  struct Node {
    enum class Kind { kSegment, kAnyDepth, kEnd };
    Kind kind = Kind::kSegment;
    std::vector<Token> tokens = {};
  };

  static Result<std::vector<Token>> ParseSegment(std::string_view text);
  static Result<Token> ParseClass(std::string_view text, std::size_t& at);
  Status AddAlternative(std::string_view text);
  static bool Fits(const std::vector<Token>& tokens, std::string_view name);
  static bool FitsOne(const Token& token, char32_t character);
  void Insert(State& state, std::size_t node) const;

  std::vector<Node> nodes_;  // the alternatives one after the other, each closed by an end
  std::vector<std::uint16_t> starts_;
};

}  // namespace viv::agent
