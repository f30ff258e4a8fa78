#pragma once
// Describes a violated constraint of a table to the caller of a tool: which values exist already,
// or are missing. SQLite's messages are about the schema; ours are for users of the API.

#include <sqlite3.h>

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace viv::engine {

struct ConstrainedValue {
  std::string name;  // of the column, or of the field that stands for it
  std::optional<json::value> value;
};

struct BrokenConstraint {
  enum class Kind { kUnique, kNotNull, kCheck, kReference };
  Kind kind = Kind::kUnique;
  std::string table;                     // empty: SQLite does not say
  std::vector<ConstrainedValue> values;  // likewise
};

// Why the last statement of this connection failed; nothing when it was for another reason, or when
// the app says it in words of its own.
std::optional<BrokenConstraint> FindBrokenConstraint(sqlite3* connection);

std::string DescribeConstraint(const BrokenConstraint& broken);

// The message for an agent whose values the last statement could not use: text that is no JSON, a
// number that is no integer, too much of something. It never has SQLite's own text, which is about
// SQL. Nothing when the caller cannot fix the reason.
std::optional<std::string> DescribeRefusal(sqlite3* connection);

}  // namespace viv::engine
