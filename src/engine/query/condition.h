#pragma once
// The tree that every language is read into: tests of fields and free words, joined by all, any and
// not. The parsers have resolved names and converted values in their vendor's way and words, so a
// tree knows nothing of a language; it borrows its fields from the Target.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/query/query.h"

namespace viv::engine::query {

// There are no negative ones: Condition::Not is how every language says "is not true", so that a
// condition and its negation always share out the rows between them, those without a value too.
enum class Operator {
  kEquals,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kContains,
  kStartsWith,
  kEndsWith,
  kEmpty
};

struct Instant {
  std::int64_t ms = 0;
};

// A name from Field::values; points to its condition.
struct Named {
  const std::string* condition = nullptr;
};

using Value = std::variant<std::monostate, std::string, double, bool, Instant, Named>;

struct Condition {
  enum class Kind { kAll, kAny, kNot, kTest, kText };

  Kind kind = Kind::kAll;
  std::vector<Condition> children;  // kAll, kAny; kNot has one
  const Field* field = nullptr;     // kTest
  std::string property;             // kTest: what :property is
  Operator op = Operator::kEquals;
  Value value;  // kText: the words

  static Condition All(std::vector<Condition> children = {});
  static Condition Any(std::vector<Condition> children = {});
  static Condition Not(Condition child);
  static Condition Test(const Field& field, Operator op, Value value = {});
  static Condition Text(std::string words);
};

struct Sort {
  const Field* field = nullptr;
  std::string property;
  bool descending = false;
};

struct Parsed {
  Condition condition;
  std::vector<Sort> sorts;
};

// Whether the field's declaration gives SQL for `op`.
bool Supports(const Field& field, Operator op);

// The condition declared for a value's name, ignoring case; nullptr when there is none.
const std::string* FindNamed(const Field& field, std::string_view name);

// Counts the terms of one query, so that no input makes an endless statement.
class TermBudget {
 public:
  Status Take() {
    if (++taken_ <= kTermsMax) return {};
    return Fail(ErrorCode::kInvalidArgument,
                "the query has more than " + std::to_string(kTermsMax) + " terms");
  }

 private:
  std::size_t taken_ = 0;
};

inline tl::unexpected<Error> FailTooDeep() {
  return Fail(ErrorCode::kInvalidArgument,
              "the query is nested more than " + std::to_string(kDepthMax) + " levels deep");
}

inline Condition Condition::All(std::vector<Condition> children) {
  Condition condition;
  condition.children = std::move(children);
  return condition;
}

inline Condition Condition::Any(std::vector<Condition> children) {
  Condition condition = All(std::move(children));
  condition.kind = Kind::kAny;
  return condition;
}

inline Condition Condition::Not(Condition child) {
  Condition condition;
  condition.kind = Kind::kNot;
  condition.children.push_back(std::move(child));
  return condition;
}

inline Condition Condition::Test(const Field& field, Operator op, Value value) {
  Condition condition;
  condition.kind = Kind::kTest;
  condition.field = &field;
  condition.op = op;
  condition.value = std::move(value);
  return condition;
}

inline Condition Condition::Text(std::string words) {
  Condition condition;
  condition.kind = Kind::kText;
  condition.value = std::move(words);
  return condition;
}

}  // namespace viv::engine::query
