// Calls of the functions listed in call_rules.cc, and OVER.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/guest_sql/call_rules.h"
#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/translator.h"

namespace viv::engine::guest_sql {
namespace {

Type SumType(const Type& type) {
  if (type.kind == Kind::kText || type.IsSemiStructured()) return Of(Kind::kFloat);
  return type;
}

Type AverageType(const Type& type) {
  if (type.kind != Kind::kNumber || type.scale == kScaleUnknown) return SumType(type);
  return Number(std::max(type.scale, std::min(type.scale + 6, 12)));
}

Type ResultType(const CallRule& rule, const std::vector<Expression>& arguments) {
  Type common;
  for (std::size_t i = rule.returns == Returns::kCommonTail ? 1 : 0; i < arguments.size(); ++i) {
    common = CommonType(common, arguments[i].type);
  }
  switch (rule.returns) {
    case Returns::kFixed:
      return {rule.kind, 0, rule.scale};
    case Returns::kFirst:
      return arguments[0].type;
    case Returns::kCommon:
    case Returns::kCommonTail:
      return common;
    case Returns::kSum:
      return SumType(arguments[0].type);
    case Returns::kAverage:
      return AverageType(arguments[0].type);
  }
  return {};
}

// $1 is the first argument; a rule without a $ is a function's name.
std::string Fill(std::string_view pattern,
                 const std::vector<std::string>& arguments,
                 std::string_view distinct) {
  bool is_template = false;
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    is_template |= pattern[i] == '$' && pattern[i + 1] >= '1' && pattern[i + 1] <= '9';
  }
  if (!is_template && pattern.find('(') != pattern.npos) return std::string(pattern);
  if (!is_template) return fmt::format("{}({}{})", pattern, distinct, fmt::join(arguments, ", "));
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool place = pattern[i] == '$' && i + 1 < pattern.size() && pattern[i + 1] >= '1' &&
                       pattern[i + 1] <= '9';
    if (!place) {
      out += pattern[i];
      continue;
    }
    const auto index = static_cast<std::size_t>(pattern[++i] - '1');
    if (index < arguments.size()) out += arguments[index];
  }
  return out;
}

}  // namespace

Result<Expression> Translator::ReadCall(const Scope& scope) {
  const std::size_t begin = cursor_.place();
  const std::string name = cursor_.Next().text;
  RETURN_IF_ERROR(cursor_.ExpectSymbol("("));
  SpecialCall special = FindSpecialCall(name);
  if (special != nullptr) return (this->*special)(name, scope);
  return ReadListedCall(name, scope, begin);
}

Result<std::vector<Expression>> Translator::ReadArguments(const Scope& scope) {
  std::vector<Expression> arguments;
  if (cursor_.AcceptSymbol(")")) return arguments;
  do {
    ASSIGN_OR_RETURN(Expression argument, ReadExpression(scope));
    arguments.push_back(std::move(argument));
  } while (cursor_.AcceptSymbol(","));
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  return arguments;
}

Result<Expression> Translator::ReadListedCall(const std::string& name,
                                              const Scope& scope,
                                              std::size_t begin) {
  const CallRule* rule = FindCallRule(name);
  if (rule == nullptr) return UnknownFunction(name);
  const bool distinct = rule->role == Role::kAggregate && cursor_.AcceptWord("DISTINCT");
  ASSIGN_OR_RETURN(auto arguments, ReadArguments(scope));
  const int count = static_cast<int>(arguments.size());
  if (count < rule->arguments_min || count > rule->arguments_max) {
    const bool few = count < rule->arguments_min;
    return CompilationError(
        "000938 (22023)",
        fmt::format("{} arguments for function [{}] expected {}, got {}",
                    few ? "not enough" : "too many", cursor_.Slice(begin, cursor_.place()),
                    few ? rule->arguments_min : rule->arguments_max, count));
  }
  std::vector<std::string> texts;
  for (const Expression& argument : arguments) {
    const bool as_text = rule->take == Take::kAsText && !argument.type.IsNumeric();
    texts.push_back(as_text ? AsText(argument) : argument.sql);
    // Only text functions print numbers; their counts and lengths stay numbers.
    if (rule->take == Take::kAsText && argument.type.IsNumeric() && &argument == &arguments[0]) {
      texts.back() = AsText(argument);
    }
  }
  if (rule->returns == Returns::kSum || rule->returns == Returns::kAverage) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (arguments[i].type.kind == Kind::kText) texts[i] = fmt::format("g$number({})", texts[i]);
    }
  }
  Expression value{Fill(rule->sql, texts, distinct ? "DISTINCT " : ""),
                   ResultType(*rule, arguments)};
  if (IsTooLong(value)) return TooComplex();
  if (rule->role == Role::kScalar) return value;
  ASSIGN_OR_RETURN(std::string over, ReadOver(scope, rule->frame));
  if (over.empty() && rule->role == Role::kWindow) {
    return CompilationError("002303 (42601)",
                            fmt::format("Window function type requires OVER clause: {}", name));
  }
  if (over.empty()) ++aggregates_;
  value.sql += over;
  return value;
}

// `OVER (PARTITION BY … ORDER BY … ROWS …)`; `frame` is what stands for none where the product has
// its own default.
Result<std::string> Translator::ReadOver(const Scope& scope, std::string_view frame) {
  if (cursor_.AcceptWords("IGNORE", "NULLS")) return Unsupported("IGNORE NULLS");
  cursor_.AcceptWords("RESPECT", "NULLS");
  if (!cursor_.IsWord("OVER") || !cursor_.IsSymbol("(", 1)) return std::string();
  cursor_.Next();
  cursor_.Next();
  std::string sql;
  if (cursor_.AcceptWords("PARTITION", "BY")) {
    std::vector<std::string> terms;
    do {
      ASSIGN_OR_RETURN(Expression term, ReadExpression(scope));
      terms.push_back(std::move(term.sql));
    } while (cursor_.AcceptSymbol(","));
    sql += fmt::format("PARTITION BY {}", fmt::join(terms, ", "));
  }
  ASSIGN_OR_RETURN(std::string order, ReadWindowOrder(scope));
  sql += order;
  if (cursor_.IsWord("ROWS") || cursor_.IsWord("RANGE")) {
    ASSIGN_OR_RETURN(std::string own, ReadFrame());
    sql += own;
  } else {
    sql += frame;
  }
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  return " OVER (" + sql + ")";
}

Result<std::string> Translator::ReadWindowOrder(const Scope& scope) {
  std::string sql;
  if (!cursor_.AcceptWords("ORDER", "BY")) return sql;
  do {
    ASSIGN_OR_RETURN(Expression term, ReadExpression(scope));
    ASSIGN_OR_RETURN(std::string direction, ReadDirection());
    sql += (sql.empty() ? " ORDER BY " : ", ") + term.sql + direction;
  } while (cursor_.AcceptSymbol(","));
  return sql;
}

Result<std::string> Translator::ReadFrame() {
  std::string sql = " " + cursor_.Next().text;
  auto bound = [&]() -> Status {
    if (cursor_.AcceptWords("CURRENT", "ROW")) {
      sql += " CURRENT ROW";
      return {};
    }
    if (cursor_.AcceptWord("UNBOUNDED")) {
      sql += " UNBOUNDED";
    } else if (cursor_.Peek().kind == TokenKind::kNumber) {
      sql += " " + cursor_.Next().text;
    } else {
      return cursor_.Unexpected();
    }
    const bool preceding = cursor_.AcceptWord("PRECEDING");
    if (!preceding) RETURN_IF_ERROR(cursor_.ExpectWord("FOLLOWING"));
    sql += preceding ? " PRECEDING" : " FOLLOWING";
    return {};
  };
  if (!cursor_.AcceptWord("BETWEEN")) {
    RETURN_IF_ERROR(bound());
    return sql;
  }
  sql += " BETWEEN";
  RETURN_IF_ERROR(bound());
  RETURN_IF_ERROR(cursor_.ExpectWord("AND"));
  sql += " AND";
  RETURN_IF_ERROR(bound());
  return sql;
}

}  // namespace viv::engine::guest_sql
