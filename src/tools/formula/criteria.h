#pragma once
// A condition as SUMIF and its kin read it: ">=10", "<>x", "app*", 5, "". Texts are compared
// without regard to case and may have wildcards.

#include <string>

#include "tools/formula/value.h"

namespace viv::formula {

class Criterion {
 public:
  explicit Criterion(const Value& condition);

  bool Accepts(const Value& value) const;
  bool AcceptsBlank() const { return Accepts(Blank{}); }

 private:
  enum class Test { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

  bool Equals(const Value& value) const;

  Test test_ = Test::kEqual;
  Value operand_;
  bool has_wildcard_ = false;
  bool had_sign_ = false;  // "=" alone asks for empty cells, "" for empty cells and empty text
};

}  // namespace viv::formula
