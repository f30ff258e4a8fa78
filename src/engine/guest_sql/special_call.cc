// Calls with a syntax or a typing of their own: casts, date parts, JSON builders.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/translator.h"

namespace viv::engine::guest_sql {
namespace {

struct PartName {
  std::string_view word;
  std::string_view part;
};

constexpr std::array kParts = {
    PartName{"YEAR", "year"},
    PartName{"Y", "year"},
    PartName{"YY", "year"},
    PartName{"YYYY", "year"},
    PartName{"YR", "year"},
    PartName{"YEARS", "year"},
    PartName{"QUARTER", "quarter"},
    PartName{"Q", "quarter"},
    PartName{"QTR", "quarter"},
    PartName{"QUARTERS", "quarter"},
    PartName{"MONTH", "month"},
    PartName{"MM", "month"},
    PartName{"MON", "month"},
    PartName{"MONTHS", "month"},
    PartName{"WEEK", "week"},
    PartName{"W", "week"},
    PartName{"WK", "week"},
    PartName{"WEEKS", "week"},
    PartName{"WEEKOFYEAR", "week"},
    PartName{"WEEKISO", "week"},
    PartName{"DAY", "day"},
    PartName{"D", "day"},
    PartName{"DD", "day"},
    PartName{"DAYS", "day"},
    PartName{"DAYOFMONTH", "day"},
    PartName{"DAYOFWEEK", "dayofweek"},
    PartName{"DOW", "dayofweek"},
    PartName{"WEEKDAY", "dayofweek"},
    PartName{"DAYOFWEEKISO", "dayofweekiso"},
    PartName{"DOW_ISO", "dayofweekiso"},
    PartName{"DAYOFYEAR", "dayofyear"},
    PartName{"DOY", "dayofyear"},
    PartName{"YEAROFWEEK", "yearofweek"},
    PartName{"HOUR", "hour"},
    PartName{"H", "hour"},
    PartName{"HH", "hour"},
    PartName{"HOURS", "hour"},
    PartName{"MINUTE", "minute"},
    PartName{"M", "minute"},
    PartName{"MI", "minute"},
    PartName{"MIN", "minute"},
    PartName{"MINUTES", "minute"},
    PartName{"SECOND", "second"},
    PartName{"S", "second"},
    PartName{"SEC", "second"},
    PartName{"SECONDS", "second"},
    PartName{"MILLISECOND", "millisecond"},
    PartName{"MS", "millisecond"},
    PartName{"MICROSECOND", "microsecond"},
    PartName{"US", "microsecond"},
    PartName{"EPOCH", "epoch_second"},
    PartName{"EPOCH_SECOND", "epoch_second"},
    PartName{"EPOCH_SECONDS", "epoch_second"},
    PartName{"EPOCH_MILLISECOND", "epoch_millisecond"},
};

bool WithinADay(std::string_view part) {
  return part == "hour" || part == "minute" || part == "second" || part == "millisecond" ||
         part == "microsecond";
}

// As a date or timestamp; what is neither yet becomes a timestamp.
Expression AsMoment(Expression value) {
  if (value.type.IsMoment() || value.type.kind == Kind::kTime) return value;
  value.sql = CastSql(value, Of(Kind::kTimestamp), false);
  value.type = Of(Kind::kTimestamp);
  return value;
}

tl::unexpected<Error> WrongCount(const std::string& name) {
  return CompilationError("000938 (22023)",
                          fmt::format("not enough arguments for function [{}]", name));
}

}  // namespace

Translator::SpecialCall Translator::FindSpecialCall(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, SpecialCall>, 38> kCalls = {{
      {"CAST", &Translator::ReadCast},
      {"TRY_CAST", &Translator::ReadCast},
      {"DATEADD", &Translator::ReadDateCall},
      {"TIMEADD", &Translator::ReadDateCall},
      {"TIMESTAMPADD", &Translator::ReadDateCall},
      {"DATEDIFF", &Translator::ReadDateCall},
      {"TIMEDIFF", &Translator::ReadDateCall},
      {"TIMESTAMPDIFF", &Translator::ReadDateCall},
      {"DATE_TRUNC", &Translator::ReadDateCall},
      {"DATE_PART", &Translator::ReadDateCall},
      {"EXTRACT", &Translator::ReadExtract},
      {"POSITION", &Translator::ReadPosition},
      {"DECODE", &Translator::ReadDecode},
      {"TO_CHAR", &Translator::ReadToChar},
      {"TO_VARCHAR", &Translator::ReadToChar},
      {"TO_NUMBER", &Translator::ReadToNumber},
      {"TO_DECIMAL", &Translator::ReadToNumber},
      {"TO_NUMERIC", &Translator::ReadToNumber},
      {"TRY_TO_NUMBER", &Translator::ReadToNumber},
      {"TRY_TO_DECIMAL", &Translator::ReadToNumber},
      {"TRY_TO_NUMERIC", &Translator::ReadToNumber},
      {"TRUNC", &Translator::ReadTruncate},
      {"TRUNCATE", &Translator::ReadTruncate},
      {"OBJECT_CONSTRUCT", &Translator::ReadJsonCall},
      {"OBJECT_CONSTRUCT_KEEP_NULL", &Translator::ReadJsonCall},
      {"ARRAY_CONSTRUCT", &Translator::ReadJsonCall},
      {"ARRAY_CONTAINS", &Translator::ReadJsonCall},
      {"ARRAY_APPEND", &Translator::ReadJsonCall},
      {"TO_JSON", &Translator::ReadJsonCall},
      {"COUNT", &Translator::ReadCount},
      {"LISTAGG", &Translator::ReadGathering},
      {"STRING_AGG", &Translator::ReadGathering},
      {"ARRAY_AGG", &Translator::ReadGathering},
      {"ARRAY_UNIQUE_AGG", &Translator::ReadGathering},
      {"OBJECT_AGG", &Translator::ReadGathering},
      {"PERCENTILE_CONT", &Translator::ReadPercentile},
      {"PERCENTILE_DISC", &Translator::ReadPercentile},
      {"RATIO_TO_REPORT", &Translator::ReadRatio},
  }};
  for (const auto& [known, call] : kCalls) {
    if (known == name) return call;
  }
  return nullptr;
}

Result<Expression> Translator::ReadCast(const std::string& name, const Scope& scope) {
  ASSIGN_OR_RETURN(Expression value, ReadExpression(scope));
  RETURN_IF_ERROR(cursor_.ExpectWord("AS"));
  ASSIGN_OR_RETURN(DataType to, ParseDataType(cursor_));
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  return Expression{CastSql(value, to.type, name == "TRY_CAST"), to.type};
}

// A part is written as a word or as a text: DATEADD(day, …) and DATEADD('day', …).
Result<std::string> Translator::ReadDatePart() {
  const Token token = cursor_.Peek();
  if (token.kind != TokenKind::kWord && token.kind != TokenKind::kText) return cursor_.Unexpected();
  const std::string word = FoldName(token.text);
  for (const PartName& known : kParts) {
    if (known.word != word) continue;
    cursor_.Next();
    return std::string(known.part);
  }
  return CompilationError("001021 (22023)",
                          fmt::format("'{}' is not a valid date/time component.", token.text));
}

Result<Expression> Translator::ReadDateCall(const std::string& name, const Scope& scope) {
  ASSIGN_OR_RETURN(std::string part, ReadDatePart());
  RETURN_IF_ERROR(cursor_.ExpectSymbol(","));
  ASSIGN_OR_RETURN(auto arguments, ReadArguments(scope));
  const bool adds = name.ends_with("ADD");
  const bool differs = name.ends_with("DIFF");
  if (arguments.size() != (adds || differs ? 2U : 1U)) return WrongCount(name);
  Expression moment = AsMoment(arguments.back());
  if (differs) {
    return Expression{
        fmt::format("g$datediff('{}', {}, {})", part, AsMoment(arguments[0]).sql, moment.sql),
        Number(0)};
  }
  if (name == "DATE_PART")
    return Expression{fmt::format("g$datepart('{}', {})", part, moment.sql), Number(0)};
  if (name == "DATE_TRUNC")
    return Expression{fmt::format("g$date_trunc('{}', {})", part, moment.sql), moment.type};
  Type type =
      moment.type.kind == Kind::kDate && WithinADay(part) ? Of(Kind::kTimestamp) : moment.type;
  return Expression{fmt::format("g$dateadd('{}', {}, {})", part, arguments[0].sql, moment.sql),
                    type};
}

Result<Expression> Translator::ReadExtract(const std::string&, const Scope& scope) {
  ASSIGN_OR_RETURN(std::string part, ReadDatePart());
  if (!cursor_.AcceptSymbol(",")) RETURN_IF_ERROR(cursor_.ExpectWord("FROM"));
  ASSIGN_OR_RETURN(Expression value, ReadExpression(scope));
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  return Expression{fmt::format("g$datepart('{}', {})", part, AsMoment(value).sql), Number(0)};
}

Result<Expression> Translator::ReadPosition(const std::string&, const Scope& scope) {
  // The first operand is no whole expression, for its IN would be taken for the predicate.
  ASSIGN_OR_RETURN(Expression needle, ReadAdditive(scope));
  if (!cursor_.AcceptWord("IN")) RETURN_IF_ERROR(cursor_.ExpectSymbol(","));
  ASSIGN_OR_RETURN(auto rest, ReadArguments(scope));
  if (rest.empty() || rest.size() > 2) return WrongCount("POSITION");
  return Expression{fmt::format("g$charindex({}, {}{})", AsText(needle), AsText(rest[0]),
                                rest.size() == 2 ? ", " + rest[1].sql : ""),
                    Number(0)};
}

// DECODE compares NULLs as equal, which CASE does not.
Result<Expression> Translator::ReadDecode(const std::string& name, const Scope& scope) {
  ASSIGN_OR_RETURN(auto arguments, ReadArguments(scope));
  if (arguments.size() < 3) return WrongCount(name);
  std::string sql = "CASE";
  Type type;
  std::size_t i = 1;
  for (; i + 1 < arguments.size(); i += 2) {
    Expression subject = arguments[0];
    AlignTypes(subject, arguments[i]);
    sql +=
        fmt::format(" WHEN {} IS {} THEN {}", subject.sql, arguments[i].sql, arguments[i + 1].sql);
    type = CommonType(type, arguments[i + 1].type);
    if (sql.size() > kEmittedBytesMax) return TooComplex();
  }
  if (i < arguments.size()) {
    sql += " ELSE " + arguments[i].sql;
    type = CommonType(type, arguments[i].type);
  }
  return Expression{sql + " END", type};
}

Result<Expression> Translator::ReadToChar(const std::string& name, const Scope& scope) {
  ASSIGN_OR_RETURN(auto arguments, ReadArguments(scope));
  if (arguments.empty() || arguments.size() > 2) return WrongCount(name);
  if (arguments.size() == 1) return Expression{AsText(arguments[0]), Of(Kind::kText)};
  const bool number = arguments[0].type.IsNumeric();
  return Expression{fmt::format("{}({}, {})", number ? "g$number_to_char" : "g$to_char",
                                arguments[0].sql, arguments[1].sql),
                    Of(Kind::kText)};
}

Result<Expression> Translator::ReadToNumber(const std::string& name, const Scope& scope) {
  ASSIGN_OR_RETURN(Expression value, ReadExpression(scope));
  Type type{Kind::kNumber, 38, 0};
  int sizes[2] = {38, 0};
  int count = 0;
  while (cursor_.AcceptSymbol(",")) {
    if (cursor_.Peek().kind == TokenKind::kText) return Unsupported(name + " with a format");
    const Token token = cursor_.Peek();
    if (token.kind != TokenKind::kNumber || token.text.size() > 2 || count == 2)
      return cursor_.Unexpected();
    sizes[count++] = std::atoi(token.text.c_str());
    cursor_.Next();
  }
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  type.size = sizes[0];
  type.scale = sizes[1];
  return Expression{CastSql(value, type, name.starts_with("TRY_")), type};
}

// TRUNC cuts a number's digits or a date's parts.
Result<Expression> Translator::ReadTruncate(const std::string& name, const Scope& scope) {
  ASSIGN_OR_RETURN(Expression value, ReadExpression(scope));
  if (value.type.IsMoment() && cursor_.AcceptSymbol(",")) {
    ASSIGN_OR_RETURN(std::string part, ReadDatePart());
    RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
    return Expression{fmt::format("g$date_trunc('{}', {})", part, value.sql), value.type};
  }
  std::string digits = "0";
  if (cursor_.AcceptSymbol(",")) {
    ASSIGN_OR_RETURN(Expression count, ReadExpression(scope));
    digits = std::move(count.sql);
  }
  if (value.type.IsMoment()) return WrongCount(name);
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  return Expression{fmt::format("g$trunc({}, {})", value.sql, digits), value.type};
}

Result<Expression> Translator::ReadJsonCall(const std::string& name, const Scope& scope) {
  std::string sql;
  if (name == "OBJECT_CONSTRUCT" && cursor_.IsSymbol("*") && cursor_.IsSymbol(")", 1)) {
    cursor_.Next();
    cursor_.Next();
    for (const ScopeRelation& relation : scope.relations) {
      for (const ScopeColumn& column : relation.columns) {
        sql += fmt::format("{}'t', {}, {}", sql.empty() ? "" : ", ", SqlText(column.name),
                           Tagged({column.sql, column.type}));
      }
    }
    return Expression{"g$object(" + sql + ")", Of(Kind::kObject)};
  }
  ASSIGN_OR_RETURN(auto arguments, ReadArguments(scope));
  for (const Expression& argument : arguments) sql += (sql.empty() ? "" : ", ") + Tagged(argument);
  if (name == "ARRAY_CONSTRUCT") return Expression{"g$array(" + sql + ")", Of(Kind::kArray)};
  if (name.starts_with("OBJECT")) {
    if (arguments.size() % 2 != 0) return WrongCount(name);
    return Expression{
        (name == "OBJECT_CONSTRUCT" ? "g$object(" : "g$object_with_nulls(") + sql + ")",
        Of(Kind::kObject)};
  }
  if (arguments.size() != (name == "TO_JSON" ? 1U : 2U)) return WrongCount(name);
  if (name == "TO_JSON") return Expression{"g$to_json(" + sql + ")", Of(Kind::kText)};
  if (name == "ARRAY_APPEND") return Expression{"g$array_append(" + sql + ")", Of(Kind::kArray)};
  return Expression{"g$array_contains(" + sql + ")", Of(Kind::kBoolean)};
}

}  // namespace viv::engine::guest_sql
