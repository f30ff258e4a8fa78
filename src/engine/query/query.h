#pragma once
// Query languages over an app's rows. A tool may take a query in its vendor's language (JQL, the
// search terms of Gmail, GitHub and Slack, Notion's filter objects); the app declares which fields
// that language may name and what each is in SQL, and Compile turns one into the other. Every
// language is read into the same condition tree, so an app says nothing about syntax.
//
// What the caller of a tool writes only ever becomes a bound parameter. SQL comes from the app
// alone and is trusted; it may use these parameters besides its own, which the caller binds:
//   :value     the value asked for             :like    it as a pattern, %value%, for ESCAPE '\'
//   :phrase    it as an FTS5 phrase            :property  the property's name (filter_json)
//   :me, :now  the user, milliseconds since 1970

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace viv::engine::query {

constexpr std::size_t kTextBytesMax = 65'536;   // of a query
constexpr std::size_t kValueBytesMax = 16'384;  // of one value; SQLite limits LIKE patterns
constexpr std::size_t kTermsMax = 1000;
constexpr std::size_t kDepthMax = 100;

enum class FieldType { kText, kNumber, kDate, kBoolean };

// How a date field is stored. kDay is "2025-01-31" and counts as that day's first moment.
enum class DateFormat { kEpochMs, kEpochSeconds, kIso, kDay };

// What `key:value` means in the terms language. kDefault is kContains for a field that has nothing
// else, ranges and comparisons for numbers and dates, and equality for the rest.
enum class Compare {
  kDefault,
  kContains,
  kRange,      // 10..50, >5, <=2025-01-31, or a bare value
  kAfter,      // strictly after the day named (Slack)
  kSince,      // that day or later (Gmail's after:)
  kBefore,     // before the day named
  kUntil,      // that day or earlier
  kOn,         // on the day, in the month or in the year named; also `during`
  kOlderThan,  // 7d, 2m (months), 1y before now
  kNewerThan,
  kLarger,  // 5M: at least so many bytes
  kSmaller
};

// One name of the language. A declaration that is only a string is its `sql`.
struct Field {
  std::string sql;       // scalar expression: comparisons and ordering
  std::string match;     // condition with :value; stands for equality where there is no one scalar
  std::string contains;  // condition for text search; default: sql LIKE, ignoring case
  std::string empty;     // condition for "has no value"; default from sql
  std::string order;     // ordering expression; default sql
  std::string known;     // query with :value that finds a row when such a value exists at all
  FieldType type = FieldType::kText;
  DateFormat date_format = DateFormat::kEpochMs;
  Compare compare = Compare::kDefault;
  bool case_sensitive = false;
  bool repeat_or = false;  // terms: the same key twice means either
  std::string strip;       // terms: characters taken from a value's front, such as "@#"
  std::string separator;   // terms: key:a,b means either
  std::map<std::string, std::string>
      values;  // a value's name to its condition: unread, currentUser()
  std::vector<std::string> aliases;
  std::vector<std::string> operators;  // jql: the only ones allowed, as "=" or "not in"
};

enum class OrBinds { kTight, kLoose };  // "a OR b c": (a OR b) c as in Gmail, or a OR (b c)
enum class WeekStart { kSunday, kMonday };

struct Target {
  std::string from;
  std::string key;  // what the compiled query selects
  std::map<std::string, Field> fields;
  std::map<std::string, Field> properties;  // filter_json: by property type, or by text, number,
                                            // date, boolean and list for all types of that kind
  std::string text;                         // condition with :value or :like for free words
  std::string where;                        // holds for every row found
  std::string order;                        // used after the query's own order
  bool strict = false;                      // terms: an unknown key is an error instead of words
  OrBinds or_binds = OrBinds::kTight;
  WeekStart week_start = WeekStart::kSunday;
};

struct Context {
  std::int64_t now_ms = 0;
  std::string me;                 // what currentUser() and :me are
  std::string time_zone = "UTC";  // an IANA name
};

using Parameters = std::vector<std::pair<std::string, json::value>>;  // ":q0" and its value

// A query that must find a row, or `message` is the error: the value named does not exist.
struct Check {
  std::string sql;
  Parameters parameters;
  std::string message;
};

struct Compiled {
  std::string sql;        // SELECT key FROM … WHERE condition ORDER BY order
  std::string condition;  // the same in parts, for a tool with a SELECT of its own
  std::string order;
  Parameters parameters;
  std::vector<Check> checks;  // to be run before it
};

// From app.yaml, already JSON. Unknown keys and wrong types are refused by name.
Result<Target> ParseTarget(const json::value& declaration);

// `language` is jql, terms or filter_json. `sorts` orders the rows after what the query itself
// says:
// [{"property" | "timestamp" | "field": name, "direction": "ascending" | "descending"}].
Result<Compiled> Compile(std::string_view language,
                         const json::value& query,
                         const Target& target,
                         const Context& context,
                         const json::value& sorts = nullptr);

// The field of that name or alias, ignoring case; nullptr when there is none.
const Field* FindField(const Target& target, std::string_view name);

}  // namespace viv::engine::query
