// SQLite's own text functions that are quadratic in their arguments or cannot be stopped, under
// their own names and with their own results, in linear time or charged to the call's work. They
// take the place of SQLite's on every connection that has the engine's functions.

#include <string_view>

#include "engine/functions/families.h"
#include "engine/limits/text_search.h"
#include "engine/limits/work.h"

namespace viv::engine::functions {
namespace {

constexpr std::size_t kWildcardBytesMax = 50'000;  // as SQLite's own limit of a pattern

tl::unexpected<Error> Stopped() {
  return Fail(ErrorCode::kLimitExceeded, "stopped");
}

// SQLite's text functions read up to the first NUL.
std::string_view ToNul(std::string_view text) {
  return text.substr(0, text.find('\0'));
}

// The argument as it came.
Result<Value> Unchanged(const Arguments& arguments, int index) {
  switch (arguments.Type(index)) {
    case SQLITE_NULL:
      return Null{};
    case SQLITE_INTEGER: {
      ASSIGN_OR_RETURN(std::int64_t integer, arguments.Integer(index));
      return integer;
    }
    case SQLITE_FLOAT:
      return arguments.Real(index);
    case SQLITE_BLOB:
      return Blob{std::string(arguments.Text(index))};
    default:
      return std::string(arguments.Text(index));
  }
}

Result<Value> Instr(const Arguments& arguments) {
  const std::string_view text = arguments.Text(0);
  const std::size_t found = FindText(text, arguments.Text(1));
  if (found == std::string_view::npos) return std::int64_t{0};
  const bool bytes = arguments.Type(0) == SQLITE_BLOB && arguments.Type(1) == SQLITE_BLOB;
  const std::size_t before = bytes ? found : CountCharacters(text.substr(0, found));
  return static_cast<std::int64_t>(before) + 1;
}

Result<Value> Replace(const Arguments& arguments) {
  if (!arguments.Has(0) || !arguments.Has(1)) return Null{};
  std::string_view text = arguments.Text(0);
  const std::string_view from = arguments.Text(1);
  if (from.empty() || from[0] == '\0') return Unchanged(arguments, 0);
  if (!arguments.Has(2)) return Null{};
  const std::string_view to = arguments.Text(2);
  std::string out;
  for (;;) {
    const std::size_t found = FindText(text, from);
    out += text.substr(0, found);
    if (found == std::string_view::npos) return out;
    out += to;
    if (out.size() > kResultBytesMax) return Invalid("the result is too large");
    text.remove_prefix(found + from.size());
  }
}

Result<Value> TrimOn(const Arguments& arguments, TrimSide side) {
  const CharacterSet set(arguments.size() > 1 ? arguments.Text(1) : " ");
  return std::string(TrimCharacters(arguments.Text(0), set, side));
}

Result<Value> TrimBoth(const Arguments& arguments) {
  return TrimOn(arguments, TrimSide::kBoth);
}

Result<Value> TrimLeft(const Arguments& arguments) {
  return TrimOn(arguments, TrimSide::kLeft);
}

Result<Value> TrimRight(const Arguments& arguments) {
  return TrimOn(arguments, TrimSide::kRight);
}

// Whether this SQLite was built so that a blob is like nothing.
bool BlobsMatchNothing() {
  static const bool kUsed = sqlite3_compileoption_used("LIKE_DOESNT_MATCH_BLOBS") != 0;
  return kUsed;
}

Result<Value> MatchesWildcards(const Arguments& arguments, WildcardPattern pattern) {
  const bool blobs = arguments.Type(0) == SQLITE_BLOB || arguments.Type(1) == SQLITE_BLOB;
  if (blobs && BlobsMatchNothing()) return std::int64_t{0};
  if (!arguments.Has(0) || !arguments.Has(1)) return Null{};
  pattern.pattern = ToNul(arguments.Text(0));
  if (pattern.pattern.size() > kWildcardBytesMax) return Invalid("the pattern is too long");
  if (arguments.size() > 2) {
    if (!arguments.Has(2)) return Null{};
    pattern.escape = arguments.Text(2);
    if (CountCharacters(pattern.escape) != 1)
      return Invalid("ESCAPE expression must be a single character");
  }
  const std::optional<bool> matches = MatchWildcards(ToNul(arguments.Text(1)), pattern);
  if (!matches) return Stopped();
  return std::int64_t{*matches};
}

// `text LIKE pattern ESCAPE escape` calls like(pattern, text, escape).
Result<Value> LikeOperator(const Arguments& arguments) {
  return MatchesWildcards(
      arguments, {.pattern = {}, .case_mode = WildcardPattern::CaseMode::kIgnoreAsciiCase});
}

Result<Value> GlobOperator(const Arguments& arguments) {
  return MatchesWildcards(arguments, {.pattern = {}, .kind = WildcardPattern::Kind::kGlob});
}

}  // namespace

std::span<const Function> SqliteTextFunctions() {
  static constexpr Function kFunctions[] = {
      {"instr", 2, 2, Instr},
      {"replace", 3, 3, Replace, NullHandling::kPassToBody},
      {"trim", 1, 2, TrimBoth},
      {"ltrim", 1, 2, TrimLeft},
      {"rtrim", 1, 2, TrimRight},
      {"like", 2, 3, LikeOperator, NullHandling::kPassToBody},
      {"glob", 2, 2, GlobOperator, NullHandling::kPassToBody}};
  return kFunctions;
}

}  // namespace viv::engine::functions
