// Aggregates with a syntax of their own: COUNT, those that gather values in order, percentiles,
// shares.
#include <fmt/format.h>

#include <utility>

#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/translator.h"

namespace viv::engine::guest_sql {

Result<Expression> Translator::ReadCount(const std::string&, const Scope& scope) {
  std::string sql;
  if (cursor_.AcceptSymbol("*")) {
    RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
    sql = "count(*)";
  } else {
    const bool distinct = cursor_.AcceptWord("DISTINCT");
    ASSIGN_OR_RETURN(auto arguments, ReadArguments(scope));
    if (arguments.empty()) return cursor_.Unexpected();
    std::string value = arguments[0].sql;
    if (arguments.size() > 1) {
      // SQLite counts one value; several count together, unless one is NULL.
      value.clear();
      for (const Expression& argument : arguments)
        value += (value.empty() ? "" : ", ") + argument.sql;
      value = "g$tuple(" + value + ")";
    }
    sql = fmt::format("count({}{})", distinct ? "DISTINCT " : "", value);
  }
  ASSIGN_OR_RETURN(std::string over, ReadOver(scope, {}));
  if (over.empty()) ++aggregates_;
  return Expression{sql + over, Number(0)};
}

// `WITHIN GROUP (ORDER BY a, b DESC)`: "ad" and ", a, b".
Result<std::pair<std::string, std::string>> Translator::ReadWithinGroup(const Scope& scope) {
  std::pair<std::string, std::string> out;
  if (!cursor_.AcceptWords("WITHIN", "GROUP")) return out;
  RETURN_IF_ERROR(cursor_.ExpectSymbol("("));
  if (!cursor_.AcceptWords("ORDER", "BY")) return cursor_.Unexpected();
  do {
    ASSIGN_OR_RETURN(Expression key, ReadExpression(scope));
    ASSIGN_OR_RETURN(std::string direction, ReadDirection());
    out.first += direction.find("DESC") != direction.npos ? 'd' : 'a';
    out.second += ", " + key.sql;
  } while (cursor_.AcceptSymbol(","));
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  return out;
}

// All pass: what to gather them into, a tag, the separator or key, the value, the keys to sort by.
Result<Expression> Translator::ReadGathering(const std::string& name, const Scope& scope) {
  const bool distinct = cursor_.AcceptWord("DISTINCT") || name == "ARRAY_UNIQUE_AGG";
  ASSIGN_OR_RETURN(auto arguments, ReadArguments(scope));
  const bool list = name == "LISTAGG" || name == "STRING_AGG";
  const bool object = name == "OBJECT_AGG";
  if (arguments.empty() || arguments.size() > (list || object ? 2U : 1U) ||
      (object && arguments.size() != 2)) {
    return CompilationError("000938 (22023)",
                            fmt::format("not enough arguments for function [{}]", name));
  }
  ASSIGN_OR_RETURN(auto order, ReadWithinGroup(scope));
  const Expression& value = object ? arguments[1] : arguments[0];
  std::string extra = "''";
  if (list && arguments.size() == 2) extra = arguments[1].sql;
  if (object) extra = AsText(arguments[0]);
  std::string_view function = list ? "g$listagg" : object ? "g$object_agg" : "g$array_agg";
  std::string sql =
      fmt::format("{}('{}{}', {}, {}{}{}", function, distinct ? 'D' : '-', order.first, extra,
                  list ? "'t', " + AsText(value) : Tagged(value), order.second, ")");
  ASSIGN_OR_RETURN(std::string over, ReadOver(scope, {}));
  if (over.empty()) ++aggregates_;
  return Expression{sql + over, Of(list ? Kind::kText : object ? Kind::kObject : Kind::kArray)};
}

Result<Expression> Translator::ReadPercentile(const std::string& name, const Scope& scope) {
  ASSIGN_OR_RETURN(auto arguments, ReadArguments(scope));
  if (arguments.size() != 1 || !cursor_.AcceptWords("WITHIN", "GROUP")) return cursor_.Unexpected();
  RETURN_IF_ERROR(cursor_.ExpectSymbol("("));
  if (!cursor_.AcceptWords("ORDER", "BY")) return cursor_.Unexpected();
  ASSIGN_OR_RETURN(Expression value, ReadExpression(scope));
  ASSIGN_OR_RETURN(std::string direction, ReadDirection());
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  const bool descending = direction.find("DESC") != direction.npos;
  const bool continuous = name == "PERCENTILE_CONT";
  std::string sql =
      fmt::format("{}({}, {}, {})", continuous ? "g$percentile_cont" : "g$percentile_disc",
                  arguments[0].sql, value.sql, descending ? 1 : 0);
  ASSIGN_OR_RETURN(std::string over, ReadOver(scope, {}));
  if (over.empty()) ++aggregates_;
  const bool exact = continuous && value.type.kind == Kind::kNumber;
  return Expression{sql + over, exact ? Of(Kind::kNumber) : value.type};
}

// A value's share of the sum over its window.
Result<Expression> Translator::ReadRatio(const std::string&, const Scope& scope) {
  ASSIGN_OR_RETURN(Expression value, ReadExpression(scope));
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  ASSIGN_OR_RETURN(std::string over, ReadOver(scope, {}));
  if (over.empty()) return cursor_.Unexpected();
  return Expression{fmt::format("g$div0({0}, sum({0}){1}, 1)", value.sql, over), Number(6)};
}

}  // namespace viv::engine::guest_sql
