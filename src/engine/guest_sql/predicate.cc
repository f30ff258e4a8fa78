// Comparisons and the predicates written with words: IS, IN, BETWEEN, LIKE and its kin.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/translator.h"

namespace viv::engine::guest_sql {
namespace {

constexpr std::array<std::string_view, 8> kOperators = {
    "=", "==", "<>", "!=", "<", "<=", ">", ">="};

Expression Truth(std::string sql) {
  return {std::move(sql), kTruth};
}

}  // namespace

Result<Expression> Translator::ReadComparison(const Scope& scope) {
  ASSIGN_OR_RETURN(Expression left, ReadAdditive(scope));
  while (true) {
    std::string operation;
    for (std::string_view symbol : kOperators) {
      if (cursor_.IsSymbol(symbol)) operation = symbol;
    }
    if (!operation.empty()) {
      cursor_.Next();
      ASSIGN_OR_RETURN(left, ReadOperator(scope, std::move(left), std::move(operation)));
      continue;
    }
    if (cursor_.AcceptWord("IS")) {
      ASSIGN_OR_RETURN(left, ReadIs(scope, std::move(left)));
      continue;
    }
    ASSIGN_OR_RETURN(auto predicate, ReadPredicate(scope, left));
    if (!predicate) return left;
    left = *std::move(predicate);
  }
}

Result<Expression> Translator::ReadOperator(const Scope& scope,
                                            Expression left,
                                            std::string operation) {
  const bool any = cursor_.IsSymbol("(", 1) && (cursor_.IsWord("ANY") || cursor_.IsWord("SOME"));
  const bool all = cursor_.IsSymbol("(", 1) && cursor_.IsWord("ALL");
  if (any || all) {
    const bool equal = operation == "=" || operation == "==";
    const bool unequal = operation == "<>" || operation == "!=";
    if (!(any && equal) && !(all && unequal)) return Unsupported("quantified comparison");
    cursor_.Next();
    ASSIGN_OR_RETURN(Query query, ReadSubquery(scope));
    return Truth(fmt::format("({} {} ({}))", left.sql, equal ? "IN" : "NOT IN", query.sql));
  }
  ASSIGN_OR_RETURN(Expression right, ReadAdditive(scope));
  AlignTypes(left, right);
  return Truth(fmt::format("({} {} {})", left.sql, operation, right.sql));
}

Result<Expression> Translator::ReadIs(const Scope& scope, Expression left) {
  const bool negated = cursor_.AcceptWord("NOT");
  if (cursor_.AcceptWords("DISTINCT", "FROM")) {
    ASSIGN_OR_RETURN(Expression right, ReadAdditive(scope));
    AlignTypes(left, right);
    return Truth(fmt::format("({} {} {})", left.sql, negated ? "IS" : "IS NOT", right.sql));
  }
  for (std::string_view word : {"NULL", "TRUE", "FALSE"}) {
    if (cursor_.AcceptWord(word))
      return Truth(fmt::format("({} IS {}{})", left.sql, negated ? "NOT " : "", word));
  }
  return cursor_.Unexpected();
}

Result<std::optional<Expression>> Translator::ReadPredicate(const Scope& scope,
                                                            const Expression& left) {
  const bool negated = cursor_.IsWord("NOT");
  const std::size_t ahead = negated ? 1 : 0;
  Result<Expression> (Translator::*read)(const Scope&, const Expression&) = nullptr;
  if (cursor_.IsWord("IN", ahead)) read = &Translator::ReadIn;
  if (cursor_.IsWord("BETWEEN", ahead)) read = &Translator::ReadBetween;
  for (std::string_view word : {"LIKE", "ILIKE", "RLIKE", "REGEXP"}) {
    if (cursor_.IsWord(word, ahead)) read = &Translator::ReadLike;
  }
  if (read == nullptr) return std::optional<Expression>();
  if (negated) cursor_.Next();
  ASSIGN_OR_RETURN(Expression value, (this->*read)(scope, left));
  if (negated) value.sql = "(NOT " + value.sql + ")";
  return std::optional<Expression>(std::move(value));
}

Result<Expression> Translator::ReadIn(const Scope& scope, const Expression& left) {
  cursor_.Next();
  if (cursor_.IsSymbol("(") && AtQuery(1)) {
    ASSIGN_OR_RETURN(Query query, ReadSubquery(scope));
    return Truth(fmt::format("({} IN ({}))", left.sql, query.sql));
  }
  RETURN_IF_ERROR(cursor_.ExpectSymbol("("));
  Expression subject = left;
  std::vector<std::string> values;
  do {
    ASSIGN_OR_RETURN(Expression value, ReadExpression(scope));
    AlignTypes(subject, value);
    values.push_back(std::move(value.sql));
  } while (cursor_.AcceptSymbol(","));
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  if (subject.is_row)
    return Truth(fmt::format("({} IN (VALUES {}))", subject.sql, fmt::join(values, ", ")));
  return Truth(fmt::format("({} IN ({}))", subject.sql, fmt::join(values, ", ")));
}

Result<Expression> Translator::ReadBetween(const Scope& scope, const Expression& left) {
  cursor_.Next();
  Expression subject = left;
  ASSIGN_OR_RETURN(Expression low, ReadAdditive(scope));
  RETURN_IF_ERROR(cursor_.ExpectWord("AND"));
  ASSIGN_OR_RETURN(Expression high, ReadAdditive(scope));
  AlignTypes(subject, low);
  AlignTypes(subject, high);
  return Truth(fmt::format("({} BETWEEN {} AND {})", subject.sql, low.sql, high.sql));
}

Result<Expression> Translator::ReadLike(const Scope& scope, const Expression& left) {
  const std::string word = cursor_.Next().text;
  const bool regular = word == "RLIKE" || word == "REGEXP";
  const bool all = cursor_.IsWord("ALL");
  std::vector<Expression> patterns;
  if ((cursor_.IsWord("ANY") || all) && cursor_.IsSymbol("(", 1)) {
    cursor_.Next();
    cursor_.Next();
    do {
      ASSIGN_OR_RETURN(Expression pattern, ReadExpression(scope));
      patterns.push_back(std::move(pattern));
    } while (cursor_.AcceptSymbol(","));
    RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  } else {
    ASSIGN_OR_RETURN(Expression pattern, ReadAdditive(scope));
    patterns.push_back(std::move(pattern));
  }
  std::string escape;
  if (cursor_.AcceptWord("ESCAPE")) {
    ASSIGN_OR_RETURN(std::string text, cursor_.Text());
    escape = ", " + SqlText(text);
  }
  std::vector<std::string> tests;
  for (const Expression& pattern : patterns) {
    tests.push_back(regular ? fmt::format("g$regexp_like({}, {})", AsText(left), pattern.sql)
                            : fmt::format("g${}({}, {}{})", word == "LIKE" ? "like" : "ilike",
                                          AsText(left), pattern.sql, escape));
  }
  return Truth(fmt::format("({})", fmt::join(tests, all ? " AND " : " OR ")));
}

}  // namespace viv::engine::guest_sql
