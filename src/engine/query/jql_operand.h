#pragma once
// The right-hand side of a JQL clause, and what a clause means: values by the field's type,
// functions, relative dates, lists and EMPTY.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/query/condition.h"
#include "engine/query/dates.h"

namespace viv::engine::query {

struct JqlOperand {
  enum class Kind { kText, kFunction, kList, kEmpty };

  Kind kind = Kind::kText;
  std::string text;                    // the value, or the function's name
  std::vector<std::string> arguments;  // kFunction
  std::vector<JqlOperand> entries;     // kList, without lists inside
};

struct JqlClause {
  std::string name;  // the field as written
  std::string op;    // as in error texts: "=", "not in", "was"
  JqlOperand operand;
  bool negated = false;
};

enum class JqlEdge { kStart, kEnd };  // of startOfDay(), endOfMonth() and their like

class JqlClauseReader {
 public:
  JqlClauseReader(const Target& target, const Context& context, const Calendar& calendar)
      : target_(target), context_(context), calendar_(calendar) {}

  Result<Condition> Read(const JqlClause& clause);

  // The field named, or Jira's words that there is none.
  Result<const Field*> Find(std::string_view name) const;

 private:
  struct Asked;

  Status CheckOperator(const Asked& asked) const;
  Result<Condition> ReadPositive(const Asked& asked, Operator op);
  Result<Condition> ReadContains(const Asked& asked);
  Result<Condition> ReadIs(const Asked& asked);
  Result<Condition> ReadIn(const Asked& asked);
  Result<Condition> ReadOne(const Asked& asked, Operator op, const JqlOperand& operand);
  Result<Value> ReadValue(const Asked& asked, const JqlOperand& operand) const;
  Result<Value> ReadFunction(const Asked& asked, const JqlOperand& operand) const;
  Result<Value> ReadBoundary(const JqlOperand& operand, Unit unit, JqlEdge edge) const;
  Result<Value> ConvertText(const Asked& asked, const std::string& text) const;
  std::optional<std::int64_t> ReadDate(std::string_view text) const;
  std::optional<std::int64_t> ReadRelative(std::string_view text) const;

  const Target& target_;
  const Context& context_;
  const Calendar& calendar_;
  TermBudget budget_;
};

}  // namespace viv::engine::query
