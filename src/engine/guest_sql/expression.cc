// Expressions, from OR down to arithmetic. Predicates with words of their own are in predicate.cc.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/guest_sql/depth_guard.h"
#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/translator.h"

namespace viv::engine::guest_sql {
namespace {

// The product casts text to the other side's type; a cast to a number here keeps all digits.
Expression AsOperand(Expression value) {
  if (value.type.kind == Kind::kText) {
    value = {fmt::format("g$number({})", value.sql), Of(Kind::kNumber)};
  }
  return value;
}

int ArithmeticScale(std::string_view operation, int left, int right) {
  if (left == kScaleUnknown || right == kScaleUnknown) return kScaleUnknown;
  if (operation == "*") return std::min(left + right, std::max({left, right, 12}));
  return std::max(left, right);
}

// SQLite's parser keeps every open bracket on a small stack, so a long chain of one kind of
// operator gets one pair.
std::string Chained(const Expression& left, std::string_view operation, std::string_view right) {
  const bool opens = left.chain == (operation == "-" ? "+" : operation);
  std::string_view start = left.sql;
  if (opens) start = start.substr(1, start.size() - 2);
  return fmt::format("({} {} {})", start, operation, right);
}

Expression Arithmetic(std::string_view operation, const Expression& left, const Expression& right) {
  Expression a = AsOperand(left);
  Expression b = AsOperand(right);
  Expression out;
  const bool real = a.type.kind == Kind::kFloat || b.type.kind == Kind::kFloat;
  const bool known = a.type.kind == Kind::kNumber && b.type.kind == Kind::kNumber;
  if (real) out.type = Of(Kind::kFloat);
  if (known) out.type = Number(ArithmeticScale(operation, a.type.scale, b.type.scale));
  if (operation == "/") {
    // The product's quotient of two NUMBERs has six more digits than the dividend, twelve at most.
    int scale = known && a.type.scale != kScaleUnknown
                    ? std::max(a.type.scale, std::min(a.type.scale + 6, 12))
                    : -1;
    if (known) out.type = Number(scale);
    out.sql = fmt::format("g$div({}, {}, {})", a.sql, b.sql, scale);
  } else if (operation == "%") {
    out.sql = fmt::format("g$mod({}, {})", a.sql, b.sql);
  } else {
    out.sql = Chained(a, operation, b.sql);
    out.chain = operation == "*" ? "*" : "+";
  }
  return out;
}

// A date plus days, a date minus days, the days between two dates.
Result<Expression> DateArithmetic(std::string_view operation,
                                  const Expression& left,
                                  const Expression& right) {
  const bool minus = operation == "-";
  if (left.type.kind == Kind::kDate && right.type.kind == Kind::kDate && minus) {
    return Expression{fmt::format("g$datediff('day', {}, {})", right.sql, left.sql), Number(0)};
  }
  if (left.type.IsMoment() && right.type.IsMoment()) {
    return CompilationError("001065 (22023)",
                            fmt::format("Invalid argument types for function '{}'", operation));
  }
  const Expression& moment = left.type.IsMoment() ? left : right;
  const Expression& days = left.type.IsMoment() ? right : left;
  return Expression{
      fmt::format("g$dateadd('day', {}{}, {})", minus ? "-" : "", days.sql, moment.sql),
      moment.type};
}

}  // namespace

void AlignTypes(Expression& left, Expression& right) {
  const Type a = left.type;
  const Type b = right.type;
  auto cast = [](Expression& value, Kind kind) {
    value.sql = CastSql(value, Of(kind), false);
    value.type = Of(kind);
  };
  if (a.kind == b.kind || a.kind == Kind::kUnknown || b.kind == Kind::kUnknown) return;
  if (a.IsMoment() || b.IsMoment()) {
    const bool exact = a.kind == Kind::kTimestamp || b.kind == Kind::kTimestamp;
    const Kind kind = exact ? Kind::kTimestamp : Kind::kDate;
    if (a.kind != kind) cast(left, kind);
    if (b.kind != kind) cast(right, kind);
    return;
  }
  for (auto [value, other] : {std::pair(&left, b), std::pair(&right, a)}) {
    if (value->type.kind != Kind::kText) continue;
    if (other.IsNumeric()) value->sql = fmt::format("g$number({})", value->sql);
    if (other.kind == Kind::kBoolean) cast(*value, Kind::kBoolean);
  }
}

Result<Expression> Translator::ReadExpression(const Scope& scope) {
  DepthGuard depth(context_);
  if (!depth.ok()) return TooComplex();
  ASSIGN_OR_RETURN(Expression value, ReadOr(scope));
  if (IsTooLong(value)) return TooComplex();
  return value;
}

Result<Expression> Translator::ReadOr(const Scope& scope) {
  ASSIGN_OR_RETURN(Expression left, ReadAnd(scope));
  std::string sql;
  while (cursor_.AcceptWord("OR")) {
    ASSIGN_OR_RETURN(Expression right, ReadAnd(scope));
    sql += " OR " + right.sql;
  }
  if (sql.empty()) return left;
  return Expression{"(" + left.sql + sql + ")", kTruth};
}

Result<Expression> Translator::ReadAnd(const Scope& scope) {
  ASSIGN_OR_RETURN(Expression left, ReadNot(scope));
  std::string sql;
  while (cursor_.AcceptWord("AND")) {
    ASSIGN_OR_RETURN(Expression right, ReadNot(scope));
    sql += " AND " + right.sql;
  }
  if (sql.empty()) return left;
  return Expression{"(" + left.sql + sql + ")", kTruth};
}

Result<Expression> Translator::ReadNot(const Scope& scope) {
  std::size_t negations = 0;
  while (cursor_.AcceptWord("NOT")) ++negations;
  ASSIGN_OR_RETURN(Expression value, ReadComparison(scope));
  if (negations == 0) return value;
  return Expression{(negations % 2 == 1 ? "(NOT " : "(NOT NOT ") + value.sql + ")", kTruth};
}

Result<Expression> Translator::ReadAdditive(const Scope& scope) {
  ASSIGN_OR_RETURN(Expression left, ReadMultiplicative(scope));
  while (cursor_.IsSymbol("+") || cursor_.IsSymbol("-") || cursor_.IsSymbol("||")) {
    const std::string operation = cursor_.Next().text;
    if (operation != "||" && cursor_.IsWord("INTERVAL") &&
        cursor_.Peek(1).kind == TokenKind::kText) {
      ASSIGN_OR_RETURN(left, ReadInterval(left, operation == "-"));
      continue;
    }
    ASSIGN_OR_RETURN(Expression right, ReadMultiplicative(scope));
    if (operation == "||") {
      if (left.chain != "||") left = {AsText(left), Of(Kind::kText)};
      left = {Chained(left, operation, AsText(right)), Of(Kind::kText)};
      left.chain = "||";
    } else if (left.type.IsMoment() || right.type.IsMoment()) {
      ASSIGN_OR_RETURN(left, DateArithmetic(operation, left, right));
    } else {
      left = Arithmetic(operation, left, right);
    }
    if (IsTooLong(left)) return TooComplex();
  }
  return left;
}

// `x + INTERVAL '1 month, 2 days'`
Result<Expression> Translator::ReadInterval(const Expression& left, bool minus) {
  cursor_.Next();
  ASSIGN_OR_RETURN(std::string text, cursor_.Text());
  // INTERVAL '7' DAY, as other products write it
  for (std::string_view unit : {"YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"}) {
    if (cursor_.AcceptWord(unit)) text += fmt::format(" {}", unit);
  }
  Type type = left.type.kind == Kind::kDate ? left.type : Of(Kind::kTimestamp);
  std::string base = left.type.IsMoment() ? left.sql : CastSql(left, type, false);
  for (std::string_view unit : {"hour", "minute", "second", "HOUR", "MINUTE", "SECOND"}) {
    if (text.find(unit) != text.npos) type = Of(Kind::kTimestamp);
  }
  return Expression{fmt::format("g$interval({}, {}, {})", base, SqlText(text), minus ? -1 : 1),
                    type};
}

Result<Expression> Translator::ReadMultiplicative(const Scope& scope) {
  ASSIGN_OR_RETURN(Expression left, ReadUnary(scope));
  while (cursor_.IsSymbol("*") || cursor_.IsSymbol("/") || cursor_.IsSymbol("%")) {
    const std::string operation = cursor_.Next().text;
    ASSIGN_OR_RETURN(Expression right, ReadUnary(scope));
    left = Arithmetic(operation, left, right);
    if (IsTooLong(left)) return TooComplex();
  }
  return left;
}

Result<Expression> Translator::ReadUnary(const Scope& scope) {
  bool minus = false;
  bool any = false;
  while (cursor_.IsSymbol("-") || cursor_.IsSymbol("+")) {
    minus ^= cursor_.Next().text == "-";
    any = true;
  }
  ASSIGN_OR_RETURN(Expression value, ReadPostfix(scope));
  if (!any) return value;
  value = AsOperand(std::move(value));
  return Expression{minus ? "(-" + value.sql + ")" : value.sql, value.type};
}

Result<Expression> Translator::ReadPostfix(const Scope& scope) {
  ASSIGN_OR_RETURN(Expression value, ReadPrimary(scope));
  while (true) {
    if (cursor_.AcceptSymbol("::")) {
      ASSIGN_OR_RETURN(DataType to, ParseDataType(cursor_));
      value = {CastSql(value, to.type, false), to.type};
    } else if (cursor_.IsSymbol(":") || cursor_.IsSymbol("[")) {
      ASSIGN_OR_RETURN(value, ReadPath(std::move(value), scope));
    } else if (cursor_.AcceptWord("COLLATE")) {
      return Unsupported("COLLATE");
    } else {
      return value;
    }
    if (IsTooLong(value)) return TooComplex();
  }
}

// `src:customer.name[0]`: the keys keep their case, as JSON's do.
Result<Expression> Translator::ReadPath(Expression base, const Scope& scope) {
  std::string keys;
  bool expects_key = cursor_.AcceptSymbol(":");
  while (true) {
    if (expects_key) {
      const Token& token = cursor_.Peek();
      if (token.kind != TokenKind::kWord && token.kind != TokenKind::kQuotedName)
        return cursor_.Unexpected();
      std::string_view raw = cursor_.Slice(cursor_.place(), cursor_.place() + 1);
      keys += ", " + SqlText(token.kind == TokenKind::kWord ? raw : std::string_view(token.text));
      cursor_.Next();
    } else if (cursor_.AcceptSymbol("[")) {
      ASSIGN_OR_RETURN(Expression key, ReadExpression(scope));
      RETURN_IF_ERROR(cursor_.ExpectSymbol("]"));
      keys += ", " + key.sql;
    } else {
      break;
    }
    expects_key = cursor_.AcceptSymbol(".");
  }
  return Expression{fmt::format("g$get({}{})", base.sql, keys), Of(Kind::kVariant)};
}

bool Translator::AtQuery(std::size_t ahead) const {
  return cursor_.IsWord("SELECT", ahead) || cursor_.IsWord("WITH", ahead) ||
         cursor_.IsWord("VALUES", ahead);
}

Result<Query> Translator::ReadSubquery(const Scope& scope) {
  RETURN_IF_ERROR(cursor_.ExpectSymbol("("));
  ASSIGN_OR_RETURN(Query query, ReadQuery(&scope));
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  return query;
}

Result<Expression> Translator::ReadParenthesized(const Scope& scope) {
  if (AtQuery(1)) {
    ASSIGN_OR_RETURN(Query query, ReadSubquery(scope));
    if (query.columns.size() != 1) {
      return CompilationError("002146 (42601)", "Subquery must return one column.");
    }
    return Expression{"(" + query.sql + ")", query.columns[0].type};
  }
  cursor_.Next();
  std::vector<std::string> values;
  Expression value;
  do {
    ASSIGN_OR_RETURN(value, ReadExpression(scope));
    values.push_back(value.sql);
  } while (cursor_.AcceptSymbol(","));
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  if (values.size() > 1)
    return Expression{fmt::format("({})", fmt::join(values, ", ")), {}, false, "", true};
  value.is_literal = false;
  value.name.clear();
  return value;
}

}  // namespace viv::engine::guest_sql
