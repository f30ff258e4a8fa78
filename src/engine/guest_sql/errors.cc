#include "engine/guest_sql/errors.h"

#include <fmt/format.h>

#include "base/log.h"
#include "engine/guest_sql/token.h"

namespace viv::engine::guest_sql {

tl::unexpected<Error> CompilationError(std::string_view code,
                                       std::string_view text,
                                       ErrorCode kind) {
  return Fail(kind, fmt::format("{}: SQL compilation error:\n{}", code, text));
}

tl::unexpected<Error> SyntaxErrorAt(int line, int position, std::string_view unexpected) {
  return CompilationError("001003 (42000)",
                          fmt::format("syntax error line {} at position {} unexpected '{}'.", line,
                                      position, unexpected));
}

tl::unexpected<Error> InvalidIdentifier(const Token& at, std::string_view name) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("000904 (42000): SQL compilation error: error line {} at position "
                          "{}\ninvalid identifier '{}'",
                          at.line, at.position, name));
}

tl::unexpected<Error> AmbiguousColumn(std::string_view name) {
  return CompilationError("002028 (42601)", fmt::format("ambiguous column name '{}'", name));
}

tl::unexpected<Error> UnknownFunction(std::string_view name) {
  return CompilationError("002140 (42601)", fmt::format("Unknown function {}", name));
}

tl::unexpected<Error> Unsupported(std::string_view feature) {
  return CompilationError("000002 (0A000)", fmt::format("Unsupported feature '{}'.", feature));
}

tl::unexpected<Error> InsertMismatch(std::size_t expected, std::size_t got) {
  return CompilationError(
      "002020 (21S01)",
      fmt::format("Insert value list does not match column list expecting {} but got {}", expected,
                  got));
}

tl::unexpected<Error> TooComplex() {
  return Fail(ErrorCode::kLimitExceeded,
              "000600 (54001): SQL compilation error:\nStatement is too complex.");
}

tl::unexpected<Error> ObjectMissing(std::string_view name) {
  return CompilationError("002003 (42S02)",
                          fmt::format("Object '{}' does not exist or not authorized.", name),
                          ErrorCode::kNotFound);
}

tl::unexpected<Error> DatabaseMissing(std::string_view name) {
  return CompilationError("002003 (02000)",
                          fmt::format("Database '{}' does not exist or not authorized.", name),
                          ErrorCode::kNotFound);
}

tl::unexpected<Error> SchemaMissing(std::string_view name) {
  return CompilationError("002003 (02000)",
                          fmt::format("Schema '{}' does not exist or not authorized.", name),
                          ErrorCode::kNotFound);
}

tl::unexpected<Error> UseMissing() {
  return CompilationError("002043 (02000)",
                          "Object does not exist, or operation cannot be performed.",
                          ErrorCode::kNotFound);
}

tl::unexpected<Error> ObjectExists(std::string_view name) {
  return CompilationError("002002 (42710)", fmt::format("Object '{}' already exists.", name),
                          ErrorCode::kConflict);
}

tl::unexpected<Error> NoCurrentDatabase(std::string_view verb) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("090105 (22000): Cannot perform {}. This session does not have a current "
                          "database. Call 'USE "
                          "DATABASE', or use a qualified name.",
                          verb));
}

tl::unexpected<Error> NoCurrentSchema(std::string_view verb) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("090106 (22000): Cannot perform {}. This session does not have a current "
                          "schema. Call 'USE "
                          "SCHEMA', or use a qualified name.",
                          verb));
}

tl::unexpected<Error> WriteRefused() {
  return Fail(ErrorCode::kPermissionDenied,
              "Calls to read_query should not contain write operations");
}

namespace {

// What SQLite says of a statement that got past our own checks, and what the product would say. Its
// own words are never passed on: they speak of SQLite's SQL, and of names that are ours.
struct ErrorTranslation {
  std::string_view part;  // of SQLite's message
  std::string_view text;
};

constexpr ErrorTranslation kErrorTranslations[] = {
    {"window function",
     "001003 (42000): SQL compilation error:\nA window function is not allowed here."},
    {"aggregate",
     "001003 (42000): SQL compilation error:\nAn aggregate function is not allowed here."},
    {"HAVING", "001003 (42000): SQL compilation error:\nHAVING needs a GROUP BY."},
    {"same number of result columns",
     "001789 (42601): SQL compilation error:\ninvalid number of result columns for set operator "
     "input "
     "branches"},
    {"term out of range",
     "000904 (42000): SQL compilation error:\nA position in ORDER BY or GROUP BY is out of range."},
    {"sub-select",
     "001003 (42000): SQL compilation error:\nA subquery with one column is expected here."},
    {"row value", "001003 (42000): SQL compilation error:\nA single value is expected here."},
    {"values for", "001003 (42000): SQL compilation error:\nThe number of values does not fit."},
    {"integer overflow", "100046 (22003): Number out of representable range"},
    {"JSON", "100069 (22P02): Error parsing JSON"},
    {"pattern too complex", "100048 (2201B): Invalid pattern: it is too long"},
};

}  // namespace

tl::unexpected<Error> EngineError(std::string_view message) {
  // Our functions raise complete texts, which begin with a six-digit code.
  std::size_t digits = message.find_first_not_of("0123456789");
  if (digits == 6) return Fail(ErrorCode::kInvalidArgument, std::string(message));
  log::Warn("guest_sql.refused", {{"error", std::string(message)}});
  for (const ErrorTranslation& words : kErrorTranslations) {
    if (message.find(words.part) != message.npos)
      return Fail(ErrorCode::kInvalidArgument, std::string(words.text));
  }
  for (std::string_view part : {"too large", "too many", "too complex", "overflow", "depth"}) {
    if (message.find(part) != message.npos) return TooComplex();
  }
  return CompilationError("001003 (42000)", "syntax error or unsupported expression");
}

tl::unexpected<Error> TimedOut() {
  return Fail(
      ErrorCode::kLimitExceeded,
      "000630 (57014): Statement reached its statement or warehouse timeout and was canceled.");
}

}  // namespace viv::engine::guest_sql
