#pragma once
// The SQL functions that stand behind the guest's: all named g$…, all ours. A body gets its
// arguments and returns a value or an error whose text is the product's own, which reaches the
// agent unchanged; for that reason they are not made with engine/functions, which puts the
// function's name before every error.

#include <sqlite3.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace viv::engine::guest_sql {

struct Null {
  bool operator==(const Null&) const = default;
};
using Value = std::variant<Null, std::int64_t, double, std::string>;

Value NullValue();  // out of line: g++ 12 takes the empty alternative for an uninitialized one
inline bool IsNull(const Value& value) {
  return std::holds_alternative<Null>(value);
}
Value ReadValue(sqlite3_value* value);
void ReturnValue(sqlite3_context* context, const Result<Value>& value);
int CompareValues(const Value& a, const Value& b);  // as SQLite orders: NULL, numbers, text
double RealOf(const Value& value);                  // text that is no number counts as 0

// A variant's JSON: objects and arrays are JSON text; with tag 'b' 0 and 1 are truth values; with
// tag 't' all text is text.
json::value ToJson(char tag, const Value& value);
Value FromJson(const json::value& value);

class Arguments {
 public:
  explicit Arguments(std::span<sqlite3_value*> values) : values_(values) {}

  std::size_t size() const { return values_.size(); }
  bool IsNull(std::size_t index) const { return sqlite3_value_type(values_[index]) == SQLITE_NULL; }
  bool IsText(std::size_t index) const { return sqlite3_value_type(values_[index]) == SQLITE_TEXT; }
  bool IsInteger(std::size_t index) const {
    return sqlite3_value_type(values_[index]) == SQLITE_INTEGER;
  }
  std::string_view Text(std::size_t index) const;  // valid until the body returns
  std::int64_t Integer(std::size_t index) const { return sqlite3_value_int64(values_[index]); }
  std::int64_t IntegerOr(std::size_t index, std::int64_t otherwise) const {
    return index < size() && !IsNull(index) ? Integer(index) : otherwise;
  }
  double Real(std::size_t index) const { return sqlite3_value_double(values_[index]); }
  Value At(std::size_t index) const { return ReadValue(values_[index]); }
  std::size_t Bytes() const;  // of all texts, and a little for the call

 private:
  std::span<sqlite3_value*> values_;
};

constexpr int kMany = 100;  // arguments of a function that takes any number of them
// What a body returns when the work of the call has ended; the statement's own error says so.
tl::unexpected<Error> Stopped();
constexpr std::size_t kTextBytesMax = std::size_t{4} << 20;  // of what a text function makes

enum class NullHandling { kReturnNull, kPassToBody };

struct Function {
  const char* name;
  Result<Value> (*body)(const Arguments&);
  int arguments_min;
  int arguments_max;
  NullHandling null_handling = NullHandling::kReturnNull;
};

Status RegisterScalars(sqlite3* handle, std::span<const Function> functions);

// One per file of functions.
std::span<const Function> TextFunctions();
std::span<const Function> RegexpFunctions();
std::span<const Function> NumberFunctions();
std::span<const Function> TimeFunctions();
std::span<const Function> CastFunctions();
std::span<const Function> JsonFunctions();
Status RegisterAggregates(sqlite3* handle);

// All of them, unless this connection has them already.
Status EnsureFunctions(sqlite3* handle);

}  // namespace viv::engine::guest_sql
