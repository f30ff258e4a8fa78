// Regular expressions, on RE2: its time is linear in the text, whatever pattern a guest writes.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/guest_sql/function.h"
#include "engine/limits/text_search.h"
#include "engine/limits/work.h"

namespace viv::engine::guest_sql {
namespace {

constexpr std::size_t kPatternBytesMax = 10'000;
constexpr std::size_t kProgramWorkMax = std::size_t{1} << 28;  // bytes times the pattern's program

class Pattern {
 public:
  Pattern(std::string_view pattern, std::string_view parameters)
      : regexp_(Text(pattern), Options(parameters)) {}

  // Whether it is one, and can be looked for in `text`: RE2 may need a step for each byte and each
  // instruction of the pattern.
  Status Check(std::string_view text) const {
    if (regexp_.ok()) {
      const auto program = static_cast<std::size_t>(std::max(1, regexp_.ProgramSize()));
      if (text.size() <= kProgramWorkMax / program) return {};
      return Fail(ErrorCode::kLimitExceeded,
                  "100078 (22000): String is too long for this regular expression");
    }
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("100048 (2201B): Invalid regular expression: '{}', {}",
                            regexp_.pattern(), regexp_.error()));
  }
  const re2::RE2& get() const { return regexp_; }

 private:
  static re2::StringPiece Text(std::string_view pattern) {
    return {pattern.data(), std::min(pattern.size(), kPatternBytesMax)};
  }
  static re2::RE2::Options Options(std::string_view parameters) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_case_sensitive(parameters.find('i') == parameters.npos);
    options.set_dot_nl(parameters.find('s') != parameters.npos);
    options.set_max_mem(1 << 22);
    return options;
  }
  re2::RE2 regexp_;
};

std::string_view TextOr(const Arguments& a, std::size_t index, std::string_view otherwise) {
  return index < a.size() ? a.Text(index) : otherwise;
}

re2::StringPiece AsPiece(std::string_view text) {
  return {text.data(), text.size()};
}

// Calls `each` for the matches from left to right until it returns false. An empty match moves on
// by one character.
template <typename Each>
Status ForEachMatch(const re2::RE2& regexp,
                    std::string_view text,
                    std::size_t start,
                    const Each& each) {
  re2::StringPiece groups[2];
  const int wanted = std::min(regexp.NumberOfCapturingGroups(), 1) + 1;
  for (std::size_t at = start; at <= text.size();) {
    if (!regexp.Match(AsPiece(text), at, text.size(), re2::RE2::UNANCHORED, groups, wanted))
      return {};
    if (!each(groups, wanted)) return {};
    // A match may look at the whole rest of the text to find that it is a short one.
    if (!CheckWork()) return Stopped();
    const auto end = static_cast<std::size_t>(groups[0].data() - text.data()) + groups[0].size();
    at = groups[0].empty() ? end + 1 : end;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  }
  return {};
}

// The product matches the whole text.
Result<Value> RegexpLike(const Arguments& a) {
  const Pattern pattern(a.Text(1), TextOr(a, 2, ""));
  RETURN_IF_ERROR(pattern.Check(a.Text(0)));
  return Value(std::int64_t{re2::RE2::FullMatch(AsPiece(a.Text(0)), pattern.get())});
}

// (subject, pattern, position, occurrence, parameters, group)
Result<Value> RegexpSubstr(const Arguments& a) {
  const std::string_view parameters = TextOr(a, 4, "");
  const Pattern pattern(a.Text(1), parameters);
  RETURN_IF_ERROR(pattern.Check(a.Text(0)));
  std::int64_t occurrence = a.IntegerOr(3, 1);
  const bool group = parameters.find('e') != parameters.npos || a.size() > 5;
  Value found = Null{};
  const auto start = static_cast<std::size_t>(std::max<std::int64_t>(a.IntegerOr(2, 1), 1) - 1);
  auto take = [&](const re2::StringPiece* groups, int count) {
    if (--occurrence > 0) return true;
    const re2::StringPiece& piece = group && count > 1 ? groups[1] : groups[0];
    if (piece.data() != nullptr) found = std::string(piece.data(), piece.size());
    return false;
  };
  RETURN_IF_ERROR(ForEachMatch(pattern.get(), a.Text(0), start, take));
  return found;
}

Result<Value> RegexpCount(const Arguments& a) {
  const Pattern pattern(a.Text(1), TextOr(a, 3, ""));
  RETURN_IF_ERROR(pattern.Check(a.Text(0)));
  std::int64_t count = 0;
  const auto start = static_cast<std::size_t>(std::max<std::int64_t>(a.IntegerOr(2, 1), 1) - 1);
  auto add = [&](const re2::StringPiece*, int) { return ++count > 0; };
  RETURN_IF_ERROR(ForEachMatch(pattern.get(), a.Text(0), start, add));
  return Value(count);
}

Result<Value> RegexpInstr(const Arguments& a) {
  const Pattern pattern(a.Text(1), "");
  RETURN_IF_ERROR(pattern.Check(a.Text(0)));
  std::int64_t position = 0;
  auto take = [&](const re2::StringPiece* groups, int) {
    position = groups[0].data() - a.Text(0).data() + 1;
    return false;
  };
  RETURN_IF_ERROR(ForEachMatch(pattern.get(), a.Text(0), 0, take));
  return Value(position);
}

// As RE2's GlobalReplace, which cannot be stopped: an empty match right behind a match is none.
Result<Value> ReplaceAll(std::string_view text,
                         const re2::RE2& regexp,
                         std::string_view replacement) {
  std::vector<re2::StringPiece> groups(
      static_cast<std::size_t>(re2::RE2::MaxSubmatch(AsPiece(replacement)) + 1));
  std::string out;
  std::size_t at = 0;
  std::size_t last_end = text.npos;
  while (at <= text.size() && regexp.Match(AsPiece(text), at, text.size(), re2::RE2::UNANCHORED,
                                           groups.data(), static_cast<int>(groups.size()))) {
    if (!CheckWork()) return Stopped();
    const auto begin = static_cast<std::size_t>(groups[0].data() - text.data());
    out += text.substr(at, begin - at);
    at = begin + groups[0].size();
    if (!groups[0].empty() || begin != last_end)
      regexp.Rewrite(&out, AsPiece(replacement), groups.data(), static_cast<int>(groups.size()));
    last_end = at;
    if (out.size() > kTextBytesMax)
      return Fail(ErrorCode::kLimitExceeded,
                  "100078 (22000): String is too long and would be truncated");
    if (!groups[0].empty()) continue;
    if (at >= text.size()) return Value(std::move(out));
    const std::string_view character = CharacterAt(text, at);
    out += character;
    at += character.size();
  }
  if (at < text.size()) out += text.substr(at);
  return Value(std::move(out));
}

// (subject, pattern, replacement, position, occurrence, parameters); all matches unless an
// occurrence is given.
Result<Value> RegexpReplace(const Arguments& a) {
  const Pattern pattern(a.Text(1), TextOr(a, 5, ""));
  RETURN_IF_ERROR(pattern.Check(a.Text(0)));
  std::string text(a.Text(0));
  std::string replacement(TextOr(a, 2, ""));
  std::string problem;
  if (!pattern.get().CheckRewriteString(AsPiece(replacement), &problem)) {
    return Fail(ErrorCode::kInvalidArgument,
                "100048 (2201B): Invalid regular expression replacement: " + problem);
  }
  if (text.size() > kTextBytesMax / (replacement.size() + 1)) {
    return Fail(ErrorCode::kLimitExceeded,
                "100078 (22000): String is too long and would be truncated");
  }
  if (a.IntegerOr(4, 0) == 1) {
    re2::RE2::Replace(&text, pattern.get(), AsPiece(replacement));
  } else {
    return ReplaceAll(text, pattern.get(), replacement);
  }
  return Value(std::move(text));
}

constexpr Function kRegexpFunctions[] = {
    {"g$regexp_like", RegexpLike, 2, 3},       {"g$regexp_substr", RegexpSubstr, 2, 6},
    {"g$regexp_count", RegexpCount, 2, 4},     {"g$regexp_instr", RegexpInstr, 2, 2},
    {"g$regexp_replace", RegexpReplace, 2, 6},
};

}  // namespace

std::span<const Function> RegexpFunctions() {
  return kRegexpFunctions;
}

}  // namespace viv::engine::guest_sql
