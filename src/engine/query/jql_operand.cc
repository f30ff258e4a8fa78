#include "engine/query/jql_operand.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "engine/query/words.h"

namespace viv::engine::query {
namespace {

struct OperatorName {
  std::string_view name;
  std::string_view positive;  // what a negative one is the negation of; otherwise its own name
  Operator op;
};

constexpr std::array<OperatorName, 12> kOperators = {{
    {"=", "=", Operator::kEquals},
    {"!=", "=", Operator::kEquals},
    {"<", "<", Operator::kLess},
    {"<=", "<=", Operator::kLessEqual},
    {">", ">", Operator::kGreater},
    {">=", ">=", Operator::kGreaterEqual},
    {"~", "~", Operator::kContains},
    {"!~", "~", Operator::kContains},
    {"in", "in", Operator::kEquals},
    {"not in", "in", Operator::kEquals},
    {"is", "is", Operator::kEmpty},
    {"is not", "is", Operator::kEmpty},
}};

const OperatorName* FindOperator(std::string_view name) {
  for (const OperatorName& entry : kOperators) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

// WAS asks for the present value: "was not in" is "not in", "was" alone is "=".
std::string_view WithoutWas(std::string_view op) {
  if (!op.starts_with("was")) return op;
  if (op == "was") return "=";
  if (op == "was not") return "!=";
  return op.substr(4);
}

std::string ShownOperand(const JqlOperand& operand) {
  switch (operand.kind) {
    case JqlOperand::Kind::kText:
      return "\"" + operand.text + "\"";
    case JqlOperand::Kind::kEmpty:
      return "EMPTY";
    case JqlOperand::Kind::kFunction:
      return operand.text + "()";
    case JqlOperand::Kind::kList:
      break;
  }
  std::string shown = "(";
  for (const JqlOperand& entry : operand.entries) {
    if (shown.size() > 1) shown += ", ";
    shown += ShownOperand(entry);
    if (shown.size() > 200) return shown + ", …)";
  }
  return shown + ")";
}

tl::unexpected<Error> RefuseOperand(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

// M is months and m minutes, as in Jira.
std::optional<Unit> UnitOf(char c) {
  switch (c) {
    case 'm':
      return Unit::kMinute;
    case 'h':
      return Unit::kHour;
    case 'd':
      return Unit::kDay;
    case 'w':
      return Unit::kWeek;
    case 'M':
      return Unit::kMonth;
    case 'y':
      return Unit::kYear;
    default:
      return std::nullopt;
  }
}

std::int64_t TakeSign(std::string_view& text) {
  bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  return minus ? -1 : 1;
}

// (+/-)nn(y|M|w|d|h|m); without a unit it is the function's own.
std::optional<Span> ReadIncrement(std::string_view text, Unit own) {
  std::int64_t sign = TakeSign(text);
  Unit unit = own;
  if (!text.empty()) {
    if (auto named = UnitOf(text.back())) {
      unit = *named;
      text.remove_suffix(1);
    }
  }
  auto count = ReadCount(text);
  if (!count) return std::nullopt;
  return Span{sign * *count, unit};
}

struct BoundaryFunction {
  std::string_view name;
  Unit unit;
  JqlEdge edge;
};

constexpr std::array<BoundaryFunction, 8> kBoundaries = {{
    {"startofday", Unit::kDay, JqlEdge::kStart},
    {"startofweek", Unit::kWeek, JqlEdge::kStart},
    {"startofmonth", Unit::kMonth, JqlEdge::kStart},
    {"startofyear", Unit::kYear, JqlEdge::kStart},
    {"endofday", Unit::kDay, JqlEdge::kEnd},
    {"endofweek", Unit::kWeek, JqlEdge::kEnd},
    {"endofmonth", Unit::kMonth, JqlEdge::kEnd},
    {"endofyear", Unit::kYear, JqlEdge::kEnd},
}};

}  // namespace

struct JqlClauseReader::Asked {
  const JqlClause& clause;
  const Field& field;
  std::string_view op;  // the positive one, and without WAS
};

Result<const Field*> JqlClauseReader::Find(std::string_view name) const {
  if (const Field* field = FindField(target_, name)) return field;
  return RefuseOperand(
      fmt::format("Field '{}' does not exist or you do not have permission to view it.", name));
}

Result<Condition> JqlClauseReader::Read(const JqlClause& clause) {
  ASSIGN_OR_RETURN(const Field* field, Find(clause.name));
  std::string_view op = WithoutWas(clause.op);
  const OperatorName* known = FindOperator(op);
  if (known == nullptr) {
    return RefuseOperand(
        fmt::format("History searches do not support the '{}' field.", clause.name));
  }
  Asked asked{clause, *field, known->positive};
  RETURN_IF_ERROR(CheckOperator(asked));
  ASSIGN_OR_RETURN(Condition positive, ReadPositive(asked, known->op));
  bool negated = clause.negated != (known->name != known->positive);
  return negated ? Condition::Not(std::move(positive)) : std::move(positive);
}

Result<Condition> JqlClauseReader::ReadPositive(const Asked& asked, Operator op) {
  if (asked.op == "~") return ReadContains(asked);
  if (asked.op == "is") return ReadIs(asked);
  if (asked.op == "in") return ReadIn(asked);
  return ReadOne(asked, op, asked.clause.operand);
}

Status JqlClauseReader::CheckOperator(const Asked& asked) const {
  const auto& allowed = asked.field.operators;
  std::string_view written = WithoutWas(asked.clause.op);
  bool listed =
      allowed.empty() || std::find(allowed.begin(), allowed.end(), written) != allowed.end();
  if (listed && Supports(asked.field, FindOperator(written)->op)) return {};
  return RefuseOperand(fmt::format("The operator '{}' is not supported by the '{}' field.",
                                   asked.clause.op, asked.clause.name));
}

Result<Condition> JqlClauseReader::ReadContains(const Asked& asked) {
  const JqlOperand& operand = asked.clause.operand;
  if (operand.kind != JqlOperand::Kind::kText) {
    return RefuseOperand(
        fmt::format("The operator '{}' does not support the value '{}' for field '{}'.",
                    asked.clause.op, ShownOperand(operand), asked.clause.name));
  }
  return ContainsWords(asked.field, operand.text, budget_);
}

Result<Condition> JqlClauseReader::ReadIs(const Asked& asked) {
  if (asked.clause.operand.kind != JqlOperand::Kind::kEmpty) {
    return RefuseOperand(
        fmt::format("Operator '{}' only supports EMPTY and NULL, not '{}', for field '{}'.",
                    asked.clause.op, ShownOperand(asked.clause.operand), asked.clause.name));
  }
  return ReadOne(asked, Operator::kEquals, asked.clause.operand);
}

Result<Condition> JqlClauseReader::ReadIn(const Asked& asked) {
  const JqlOperand& operand = asked.clause.operand;
  if (operand.kind == JqlOperand::Kind::kFunction) {
    return ReadOne(asked, Operator::kEquals, operand);
  }
  if (operand.kind != JqlOperand::Kind::kList) {
    return RefuseOperand(
        fmt::format("Operator '{}' does not support the non-list value '{}' for field '{}'.",
                    asked.clause.op, ShownOperand(operand), asked.clause.name));
  }
  std::vector<Condition> tests;
  for (const JqlOperand& entry : operand.entries) {
    ASSIGN_OR_RETURN(Condition test, ReadOne(asked, Operator::kEquals, entry));
    tests.push_back(std::move(test));
  }
  return Condition::Any(std::move(tests));
}

Result<Condition> JqlClauseReader::ReadOne(const Asked& asked,
                                           Operator op,
                                           const JqlOperand& operand) {
  RETURN_IF_ERROR(budget_.Take());
  bool equality = op == Operator::kEquals;
  if (operand.kind == JqlOperand::Kind::kList) {
    return RefuseOperand(
        fmt::format("Operator '{}' does not support the list value '{}' for field '{}'.",
                    asked.clause.op, ShownOperand(operand), asked.clause.name));
  }
  if (operand.kind == JqlOperand::Kind::kEmpty) {
    if (!equality || !Supports(asked.field, Operator::kEmpty)) {
      return RefuseOperand(fmt::format("The field '{}' does not support EMPTY with operator '{}'.",
                                       asked.clause.name, asked.clause.op));
    }
    return Condition::Test(asked.field, Operator::kEmpty);
  }
  ASSIGN_OR_RETURN(Value value, ReadValue(asked, operand));
  if (std::holds_alternative<std::monostate>(value)) return Condition::Any();
  if (std::holds_alternative<Named>(value) && !equality) {
    return RefuseOperand(
        fmt::format("The operator '{}' does not support the value '{}' for field '{}'.",
                    asked.clause.op, ShownOperand(operand), asked.clause.name));
  }
  return Condition::Test(asked.field, op, std::move(value));
}

Result<Value> JqlClauseReader::ReadValue(const Asked& asked, const JqlOperand& operand) const {
  if (operand.kind == JqlOperand::Kind::kFunction) return ReadFunction(asked, operand);
  if (const std::string* condition = FindNamed(asked.field, operand.text)) {
    return Value(Named{condition});
  }
  return ConvertText(asked, operand.text);
}

Result<Value> JqlClauseReader::ReadFunction(const Asked& asked, const JqlOperand& operand) const {
  std::string call = operand.text + "(";
  for (std::size_t i = 0; i < operand.arguments.size(); ++i) {
    call += (i > 0 ? "," : "") + operand.arguments[i];
  }
  const std::string* condition = FindNamed(asked.field, call + ")");
  if (condition != nullptr) return Value(Named{condition});
  std::string name = ToLower(operand.text);
  if (name == "currentuser") {
    // Nobody is logged in: nothing is theirs.
    return context_.me.empty() ? Value() : Value(context_.me);
  }
  if (asked.field.type == FieldType::kDate) {
    if (name == "now") return Value(Instant{calendar_.now_ms()});
    for (const BoundaryFunction& function : kBoundaries) {
      if (function.name == name) return ReadBoundary(operand, function.unit, function.edge);
    }
  }
  return RefuseOperand(fmt::format("Unable to find JQL function '{}()'.", operand.text));
}

Result<Value> JqlClauseReader::ReadBoundary(const JqlOperand& operand,
                                            Unit unit,
                                            JqlEdge edge) const {
  std::string argument = operand.arguments.empty() ? "0" : operand.arguments[0];
  auto span = ReadIncrement(argument, unit);
  if (!span || operand.arguments.size() > 1) {
    return RefuseOperand(fmt::format(
        "Duration for function '{}' should have the format (+/-)nn(y|M|w|d|h|m), but was '{}'.",
        operand.text, argument));
  }
  Period period = calendar_.Around(unit, *span);
  return Value(Instant{edge == JqlEdge::kEnd ? period.end_ms - 1 : period.start_ms});
}

Result<Value> JqlClauseReader::ConvertText(const Asked& asked, const std::string& text) const {
  switch (asked.field.type) {
    case FieldType::kText:
      return Value(text);
    case FieldType::kBoolean:
      if (EqualsIgnoreCase(text, "true") || EqualsIgnoreCase(text, "yes")) return Value(true);
      if (EqualsIgnoreCase(text, "false") || EqualsIgnoreCase(text, "no")) return Value(false);
      return RefuseOperand(fmt::format("The value '{}' does not exist for the field '{}'.", text,
                                       asked.clause.name));
    case FieldType::kNumber: {
      double number = 0;
      if (absl::SimpleAtod(text, &number) && std::isfinite(number)) return Value(number);
      return RefuseOperand(
          fmt::format("Value '{}' is invalid for the '{}' field. It must be a number.", text,
                      asked.clause.name));
    }
    case FieldType::kDate:
      break;
  }
  if (auto ms = ReadDate(text)) return Value(Instant{*ms});
  return RefuseOperand(fmt::format(
      "Date value '{}' for field '{}' is invalid. Valid formats include: 'yyyy/MM/dd HH:mm', "
      "'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'.",
      text, asked.clause.name));
}

std::optional<std::int64_t> JqlClauseReader::ReadDate(std::string_view text) const {
  text = Trim(text);
  bool day = text.size() == 10;
  bool minute = text.size() == 16 && text[10] == ' ';
  if (day || minute) {
    if (auto date = calendar_.ReadDate(text)) return date->start_ms;
  }
  return ReadRelative(text);
}

// -1h 30m: the sign holds for all parts.
std::optional<std::int64_t> JqlClauseReader::ReadRelative(std::string_view text) const {
  std::int64_t ms = calendar_.now_ms();
  std::int64_t sign = TakeSign(text);
  if (text.empty() || text.size() > 64) return std::nullopt;
  for (std::string_view part : Split(text, ' ')) {
    if (part.empty()) continue;
    auto unit = UnitOf(part.back());
    auto count = ReadCount(part.substr(0, part.size() - 1));
    if (!unit || !count) return std::nullopt;
    ms = calendar_.Shift(ms, Span{sign * *count, *unit});
  }
  return ms;
}

}  // namespace viv::engine::query
