#pragma once
// What a broken constraint of a table means to who gave the values: which of them are there
// already, or are missing. SQLite tells it in the words of the schema; ours are for readers of the
// API.

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

// What to tell an agent whose values the last statement could not work with: text that is no JSON,
// a number that is no integer, too much of something. Never SQLite's own words, which are about
// SQL. Nothing when it failed for a reason that no caller can mend.
std::optional<std::string> DescribeRefusal(sqlite3* connection);

}  // namespace viv::engine
