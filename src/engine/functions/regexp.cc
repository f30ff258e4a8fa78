// Regular expressions as SQL functions: RE2, whose time is linear in the text whatever the pattern.
// A pattern is compiled once per statement.

#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/functions/families.h"
#include "engine/limits/work.h"

namespace viv::engine::functions {
namespace {

constexpr std::size_t kPatternBytesMax = 4096;
constexpr std::int64_t kPatternMemory = 4 << 20;
constexpr std::size_t kMatchWorkMax = std::size_t{1} << 30;  // bytes times the pattern's program

using Pattern = std::shared_ptr<const re2::RE2>;

re2::StringPiece Piece(std::string_view text) {
  return {text.data(), text.size()};
}

// Compiling costs far more than matching, and SQLite forgets what a statement kept when it is
// reset, so each thread remembers the patterns it has met lately.
Result<Pattern> Compiled(std::string_view text) {
  constexpr std::size_t kPatternsMax = 128;
  thread_local std::unordered_map<std::string, Pattern> patterns;
  auto found = patterns.find(std::string(text));
  if (found != patterns.end()) return found->second;
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kPatternMemory);
  auto pattern = std::make_shared<const re2::RE2>(Piece(text), options);
  if (!pattern->ok()) return Invalid("invalid pattern: " + pattern->error());
  if (patterns.size() >= kPatternsMax) patterns.clear();
  return patterns.emplace(text, std::move(pattern)).first->second;
}

Result<Pattern> PatternArgument(const Arguments& arguments, int index) {
  if (Pattern kept = arguments.GetAuxData<re2::RE2>(index)) return kept;
  std::string_view text = arguments.Text(index);
  if (text.size() > kPatternBytesMax) return Invalid("the pattern is too long");
  ASSIGN_OR_RETURN(Pattern pattern, Compiled(text));
  arguments.SetAuxData<re2::RE2>(index, pattern);
  return pattern;
}

// RE2 may need a step for each byte and each instruction of the pattern.
Status CheckSize(std::string_view text, const re2::RE2& pattern) {
  const auto program = static_cast<std::size_t>(std::max(1, pattern.ProgramSize()));
  if (text.size() <= kMatchWorkMax / program) return {};
  return Fail(ErrorCode::kLimitExceeded, "the text is too long for this pattern");
}

Result<Value> Like(const Arguments& arguments, int text, int pattern) {
  ASSIGN_OR_RETURN(Pattern compiled, PatternArgument(arguments, pattern));
  RETURN_IF_ERROR(CheckSize(arguments.Text(text), *compiled));
  return std::int64_t{re2::RE2::PartialMatch(Piece(arguments.Text(text)), *compiled)};
}

Result<Value> RegexpLike(const Arguments& arguments) {
  return Like(arguments, 0, 1);
}

// `x REGEXP y` calls regexp(y, x).
Result<Value> RegexpOperator(const Arguments& arguments) {
  return Like(arguments, 1, 0);
}

Result<Value> RegexpExtract(const Arguments& arguments) {
  ASSIGN_OR_RETURN(Pattern pattern, PatternArgument(arguments, 1));
  ASSIGN_OR_RETURN(std::int64_t group, arguments.IntegerOr(2, 0));
  int groups = pattern->NumberOfCapturingGroups();
  if (group < 0 || group > groups) {
    return Invalid("the pattern has " + std::to_string(groups) + " groups, not " +
                   std::to_string(group));
  }
  auto index = static_cast<std::size_t>(group);
  std::vector<re2::StringPiece> found(index + 1);
  std::string_view text = arguments.Text(0);
  RETURN_IF_ERROR(CheckSize(text, *pattern));
  bool matches = pattern->Match(Piece(text), 0, text.size(), re2::RE2::UNANCHORED, found.data(),
                                static_cast<int>(found.size()));
  if (!matches || found[index].data() == nullptr) return Null{};
  return std::string(found[index].data(), found[index].size());
}

// Moves past one character, copying it: an empty match must not be found again.
std::size_t CopyLetter(std::string_view text, std::size_t at, std::string& out) {
  do {
    out += text[at++];
  } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80);
  return at;
}

// Our own loop, since RE2's has no limit to what it writes.
Result<std::string> ReplaceAll(std::string_view text,
                               const re2::RE2& pattern,
                               std::string_view rewrite) {
  std::vector<re2::StringPiece> found(
      static_cast<std::size_t>(re2::RE2::MaxSubmatch(Piece(rewrite)) + 1));
  std::string out;
  std::size_t at = 0;
  std::size_t last_end = std::string_view::npos;  // an empty match right behind a match is none
  while (at <= text.size() && pattern.Match(Piece(text), at, text.size(), re2::RE2::UNANCHORED,
                                            found.data(), static_cast<int>(found.size()))) {
    // A match may look at the whole rest of the text to find that it is a short one.
    if (!CheckWork()) return Fail(ErrorCode::kLimitExceeded, "stopped");
    auto begin = static_cast<std::size_t>(found[0].data() - text.data());
    out.append(text.substr(at, begin - at));
    at = begin + found[0].size();
    if (!found[0].empty() || begin != last_end) {
      if (!pattern.Rewrite(&out, Piece(rewrite), found.data(), static_cast<int>(found.size()))) {
        return Invalid("invalid replacement");
      }
    }
    last_end = at;
    if (found[0].empty()) {
      if (at == text.size()) return out;
      at = CopyLetter(text, at, out);
    }
    if (out.size() > kResultBytesMax) return Invalid("the result is too large");
  }
  return out.append(text.substr(at));
}

Result<Value> RegexpReplace(const Arguments& arguments) {
  ASSIGN_OR_RETURN(Pattern pattern, PatternArgument(arguments, 1));
  std::string_view rewrite = arguments.Text(2);
  std::string problem;
  if (!pattern->CheckRewriteString(Piece(rewrite), &problem)) {
    return Invalid("invalid replacement: " + problem);
  }
  std::string_view text = arguments.Text(0);
  if (text.data() == nullptr) text = "";  // RE2 tells an empty text from none
  RETURN_IF_ERROR(CheckSize(text, *pattern));
  ASSIGN_OR_RETURN(std::string out, ReplaceAll(text, *pattern, rewrite));
  return out;
}

}  // namespace

std::span<const Function> RegexpFunctions() {
  static constexpr Function kFunctions[] = {{"regexp", 2, 2, RegexpOperator},
                                            {"regexp_like", 2, 2, RegexpLike},
                                            {"regexp_extract", 2, 3, RegexpExtract},
                                            {"regexp_replace", 3, 3, RegexpReplace}};
  return kFunctions;
}

}  // namespace viv::engine::functions
