// The leaves of expressions: literals, columns, CASE, and words that are values.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/translator.h"

namespace viv::engine::guest_sql {
namespace {

std::string PathText(const std::vector<std::string>& path) {
  std::string out;
  for (const std::string& part : path) out += (out.empty() ? "" : ".") + DisplayName(part);
  return out;
}

}  // namespace

std::string AsText(const Expression& value) {
  switch (value.type.kind) {
    case Kind::kText:
    case Kind::kDate:
    case Kind::kTime:
    case Kind::kTimestamp:
      return value.sql;
    case Kind::kBoolean:
      return fmt::format("CASE {} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END", value.sql);
    case Kind::kNumber:
      if (value.type.scale > 0) return fmt::format("g$fixed({}, {})", value.sql, value.type.scale);
      return fmt::format("g$text({})", value.sql);
    default:
      return fmt::format("g$text({})", value.sql);
  }
}

std::string CastSql(const Expression& value, const Type& type, bool lenient) {
  if (type.kind == Kind::kText) {
    if (type.size == 0 || type.size == kTextLengthMax) return "(" + AsText(value) + ")";
    return fmt::format("substr({}, 1, {})", AsText(value), type.size);
  }
  const bool sized = type.kind == Kind::kNumber;
  if (value.type.kind == type.kind && !sized) return value.sql;
  if (type.kind == Kind::kVariant && value.type.kind != Kind::kUnknown) return value.sql;
  return fmt::format("{}({}, '{}', {}, {})", lenient ? "g$try_cast" : "g$cast", value.sql,
                     static_cast<char>(type.kind), type.size, type.scale);
}

std::string Tagged(const Expression& value) {
  char tag = 't';
  if (value.type.IsSemiStructured()) tag = 'j';
  if (value.type.kind == Kind::kBoolean) tag = 'b';
  return fmt::format("'{}', {}", tag, value.sql);
}

Result<Expression> Translator::ReadPrimary(const Scope& scope) {
  const Token& token = cursor_.Peek();
  if (token.kind == TokenKind::kNumber) return ReadNumber();
  if (token.kind == TokenKind::kText)
    return Expression{SqlText(cursor_.Next().text), Of(Kind::kText), true};
  if (token.IsSymbol("(")) return ReadParenthesized(scope);
  if (token.IsSymbol("[")) return ReadArrayLiteral(scope);
  if (token.IsSymbol("{")) return ReadObjectLiteral(scope);
  if (token.IsSymbol("$")) return ReadColumn(scope);
  if (token.IsWord("CASE")) return ReadCase(scope);
  if (token.IsWord("EXISTS") && cursor_.IsSymbol("(", 1)) {
    cursor_.Next();
    ASSIGN_OR_RETURN(Query query, ReadSubquery(scope));
    return Expression{"EXISTS (" + query.sql + ")", kTruth};
  }
  ASSIGN_OR_RETURN(auto word, ReadWordValue());
  if (word) return *std::move(word);
  if (token.kind == TokenKind::kWord && cursor_.IsSymbol("(", 1)) return ReadCall(scope);
  if (cursor_.IsName()) return ReadColumn(scope);
  return cursor_.Unexpected();
}

Result<Expression> Translator::ReadNumber() {
  const std::string text = cursor_.Next().text;
  Expression value{text, {}, true};
  if (text.find_first_of("eE") != text.npos) {
    value.type = Of(Kind::kFloat);
  } else {
    const std::size_t point = text.find('.');
    value.type = Number(point == text.npos
                            ? 0
                            : static_cast<int>(std::min<std::size_t>(text.size() - point - 1, 37)));
  }
  return value;
}

Result<std::optional<Expression>> Translator::ReadWordValue() {
  if (cursor_.Peek().kind != TokenKind::kWord) return std::optional<Expression>();
  const std::string word = cursor_.Peek().text;
  std::optional<Expression> value;
  if (word == "TRUE") value = {"1", kTruth, true};
  if (word == "FALSE") value = {"0", kTruth, true};
  if (word == "NULL") value = {"NULL", {}, true};
  if (value) {
    cursor_.Next();
    return value;
  }
  if (cursor_.Peek(1).kind == TokenKind::kText) {
    Kind kind = Kind::kUnknown;
    if (word == "DATE") kind = Kind::kDate;
    if (word == "TIME") kind = Kind::kTime;
    if (word.starts_with("TIMESTAMP")) kind = Kind::kTimestamp;
    if (kind == Kind::kUnknown) return value;
    cursor_.Next();
    Expression text{SqlText(cursor_.Next().text), Of(Kind::kText)};
    return std::optional<Expression>({CastSql(text, Of(kind), false), Of(kind)});
  }
  // These may stand with or without brackets.
  if (word == "CURRENT_DATE") value = {"g$today(now_ms())", Of(Kind::kDate)};
  if (word == "CURRENT_TIME" || word == "LOCALTIME")
    value = {"g$time_now(now_ms())", Of(Kind::kTime)};
  if (word == "CURRENT_TIMESTAMP" || word == "LOCALTIMESTAMP" || word == "GETDATE" ||
      word == "SYSDATE" || word == "SYSTIMESTAMP") {
    value = {"g$now(now_ms())", Of(Kind::kTimestamp)};
  }
  auto current = [&](std::string_view name, const std::string& now) {
    if (word == name) value = {now.empty() ? "NULL" : SqlText(now), Of(Kind::kText)};
  };
  current("CURRENT_DATABASE", session_.database);
  current("CURRENT_SCHEMA", session_.schema);
  current("CURRENT_ROLE", session_.role);
  current("CURRENT_WAREHOUSE", session_.warehouse);
  if (!value) return value;
  const bool brackets = cursor_.IsSymbol("(", 1) && cursor_.IsSymbol(")", 2);
  const bool precision = cursor_.IsSymbol("(", 1) && cursor_.Peek(2).kind == TokenKind::kNumber;
  const bool bare = !cursor_.IsSymbol("(", 1) && word != "GETDATE" && word != "SYSDATE" &&
                    word != "CURRENT_DATABASE" && word != "CURRENT_SCHEMA";
  if (!brackets && !precision && !bare) return std::optional<Expression>();
  cursor_.MoveTo(cursor_.place() + (brackets ? 3 : precision ? 4 : 1));
  return value;
}

Result<Expression> Translator::ReadCase(const Scope& scope) {
  cursor_.Next();
  std::string sql = "CASE";
  std::optional<Expression> subject;
  if (!cursor_.IsWord("WHEN")) {
    ASSIGN_OR_RETURN(Expression value, ReadExpression(scope));
    subject = std::move(value);
    sql += " " + subject->sql;
  }
  if (!cursor_.IsWord("WHEN")) return cursor_.Unexpected();
  Type type;
  auto branch = [&]() -> Status {
    ASSIGN_OR_RETURN(Expression value, ReadExpression(scope));
    type = CommonType(type, value.type);
    sql += value.sql;
    return {};
  };
  while (cursor_.AcceptWord("WHEN")) {
    ASSIGN_OR_RETURN(Expression condition, ReadExpression(scope));
    if (subject) {
      Expression copy = *subject;
      AlignTypes(copy, condition);
    }
    sql += " WHEN " + condition.sql + " THEN ";
    RETURN_IF_ERROR(cursor_.ExpectWord("THEN"));
    RETURN_IF_ERROR(branch());
  }
  if (cursor_.AcceptWord("ELSE")) {
    sql += " ELSE ";
    RETURN_IF_ERROR(branch());
  }
  RETURN_IF_ERROR(cursor_.ExpectWord("END"));
  return Expression{sql + " END", type};
}

Result<Expression> Translator::ReadColumn(const Scope& scope) {
  const Token at = cursor_.Peek();
  std::vector<std::string> path;
  if (cursor_.AcceptSymbol("$")) {  // $1: the first column of VALUES
    if (cursor_.Peek().kind != TokenKind::kNumber) return cursor_.Unexpected();
    path.push_back("COLUMN" + cursor_.Next().text);
  } else {
    ASSIGN_OR_RETURN(path, cursor_.DottedName(4));
  }
  if (cursor_.IsSymbol("(")) return UnknownFunction(PathText(path));
  ASSIGN_OR_RETURN(auto column, scope.Find(path));
  if (!column) return InvalidIdentifier(at, PathText(path));
  return Expression{column->sql, column->type, false, path.back()};
}

Result<Expression> Translator::ReadArrayLiteral(const Scope& scope) {
  cursor_.Next();
  std::string sql = "g$array(";
  bool first = true;
  while (!cursor_.AcceptSymbol("]")) {
    if (!first) RETURN_IF_ERROR(cursor_.ExpectSymbol(","));
    ASSIGN_OR_RETURN(Expression value, ReadExpression(scope));
    sql += (first ? "" : ", ") + Tagged(value);
    first = false;
  }
  return Expression{sql + ")", Of(Kind::kArray)};
}

Result<Expression> Translator::ReadObjectLiteral(const Scope& scope) {
  cursor_.Next();
  std::string sql = "g$object(";
  bool first = true;
  while (!cursor_.AcceptSymbol("}")) {
    if (!first) RETURN_IF_ERROR(cursor_.ExpectSymbol(","));
    ASSIGN_OR_RETURN(std::string key, cursor_.Text());
    RETURN_IF_ERROR(cursor_.ExpectSymbol(":"));
    ASSIGN_OR_RETURN(Expression value, ReadExpression(scope));
    sql += fmt::format("{}'t', {}, {}", first ? "" : ", ", SqlText(key), Tagged(value));
    first = false;
  }
  return Expression{sql + ")", Of(Kind::kObject)};
}

}  // namespace viv::engine::guest_sql
