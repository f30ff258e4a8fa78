#include "engine/guest_sql/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "engine/guest_sql/cursor.h"
#include "engine/guest_sql/errors.h"

namespace viv::engine::guest_sql {
namespace {

struct Known {
  std::string_view word;
  std::string_view canonical;
  Kind kind;
  int first;   // default of the first parameter; -1: takes none
  int second;  // default of the second; -1: takes none
};

constexpr int kNone = -1;

constexpr std::array kKnown = {
    Known{"NUMBER", "NUMBER", Kind::kNumber, 38, 0},
    Known{"DECIMAL", "NUMBER", Kind::kNumber, 38, 0},
    Known{"DEC", "NUMBER", Kind::kNumber, 38, 0},
    Known{"NUMERIC", "NUMBER", Kind::kNumber, 38, 0},
    Known{"INT", "NUMBER(38,0)", Kind::kNumber, kNone, kNone},
    Known{"INTEGER", "NUMBER(38,0)", Kind::kNumber, kNone, kNone},
    Known{"BIGINT", "NUMBER(38,0)", Kind::kNumber, kNone, kNone},
    Known{"SMALLINT", "NUMBER(38,0)", Kind::kNumber, kNone, kNone},
    Known{"TINYINT", "NUMBER(38,0)", Kind::kNumber, kNone, kNone},
    Known{"BYTEINT", "NUMBER(38,0)", Kind::kNumber, kNone, kNone},
    Known{"FLOAT", "FLOAT", Kind::kFloat, kNone, kNone},
    Known{"FLOAT4", "FLOAT", Kind::kFloat, kNone, kNone},
    Known{"FLOAT8", "FLOAT", Kind::kFloat, kNone, kNone},
    Known{"DOUBLE", "FLOAT", Kind::kFloat, kNone, kNone},
    Known{"REAL", "FLOAT", Kind::kFloat, kNone, kNone},
    Known{"VARCHAR", "VARCHAR", Kind::kText, kTextLengthMax, kNone},
    Known{"NVARCHAR", "VARCHAR", Kind::kText, kTextLengthMax, kNone},
    Known{"NVARCHAR2", "VARCHAR", Kind::kText, kTextLengthMax, kNone},
    Known{"STRING", "VARCHAR", Kind::kText, kTextLengthMax, kNone},
    Known{"TEXT", "VARCHAR", Kind::kText, kTextLengthMax, kNone},
    Known{"CHAR", "VARCHAR", Kind::kText, 1, kNone},
    Known{"CHARACTER", "VARCHAR", Kind::kText, 1, kNone},
    Known{"NCHAR", "VARCHAR", Kind::kText, 1, kNone},
    Known{"BINARY", "BINARY", Kind::kBinary, 8'388'608, kNone},
    Known{"VARBINARY", "BINARY", Kind::kBinary, 8'388'608, kNone},
    Known{"BOOLEAN", "BOOLEAN", Kind::kBoolean, kNone, kNone},
    Known{"BOOL", "BOOLEAN", Kind::kBoolean, kNone, kNone},
    Known{"DATE", "DATE", Kind::kDate, kNone, kNone},
    Known{"TIME", "TIME", Kind::kTime, 9, kNone},
    Known{"DATETIME", "TIMESTAMP_NTZ", Kind::kTimestamp, 9, kNone},
    Known{"TIMESTAMP", "TIMESTAMP_NTZ", Kind::kTimestamp, 9, kNone},
    Known{"TIMESTAMP_NTZ", "TIMESTAMP_NTZ", Kind::kTimestamp, 9, kNone},
    Known{"TIMESTAMPNTZ", "TIMESTAMP_NTZ", Kind::kTimestamp, 9, kNone},
    Known{"TIMESTAMP_LTZ", "TIMESTAMP_LTZ", Kind::kTimestamp, 9, kNone},
    Known{"TIMESTAMPLTZ", "TIMESTAMP_LTZ", Kind::kTimestamp, 9, kNone},
    Known{"TIMESTAMP_TZ", "TIMESTAMP_TZ", Kind::kTimestamp, 9, kNone},
    Known{"TIMESTAMPTZ", "TIMESTAMP_TZ", Kind::kTimestamp, 9, kNone},
    Known{"VARIANT", "VARIANT", Kind::kVariant, kNone, kNone},
    Known{"OBJECT", "OBJECT", Kind::kObject, kNone, kNone},
    Known{"ARRAY", "ARRAY", Kind::kArray, kNone, kNone},
    Known{"GEOGRAPHY", "GEOGRAPHY", Kind::kVariant, kNone, kNone},
};

const Known* FindKnown(std::string_view word) {
  auto found = std::find_if(kKnown.begin(), kKnown.end(),
                            [&](const Known& known) { return known.word == word; });
  return found == kKnown.end() ? nullptr : &*found;
}

Result<int> ParseSize(Cursor& cursor) {
  const Token& token = cursor.Peek();
  int value = 0;
  auto [end, error] =
      std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  if (token.kind != TokenKind::kNumber || error != std::errc() ||
      end != token.text.data() + token.text.size()) {
    return cursor.Unexpected();
  }
  cursor.Next();
  return value;
}

DataType Describe(const Known& known, int first, int second) {
  DataType out{std::string(known.canonical), Of(known.kind)};
  if (known.kind == Kind::kNumber) {
    out.type.size = known.first == kNone ? 38 : first;
    out.type.scale = known.first == kNone ? 0 : second;
  } else if (known.kind == Kind::kText || known.kind == Kind::kBinary) {
    out.type.size = first;
  }
  if (known.second != kNone) {
    out.name += fmt::format("({},{})", first, second);
  } else if (known.first != kNone) {
    out.name += fmt::format("({})", first);
  }
  return out;
}

}  // namespace

Result<DataType> ParseDataType(Cursor& cursor) {
  const Token word = cursor.Peek();
  const Known* known = word.kind == TokenKind::kWord ? FindKnown(word.text) : nullptr;
  if (known == nullptr) {
    if (word.kind != TokenKind::kWord) return cursor.Unexpected();
    return CompilationError("002040 (42601)",
                            fmt::format("Unsupported data type '{}'.", word.text));
  }
  cursor.Next();
  if (word.text == "DOUBLE") cursor.AcceptWord("PRECISION");
  if (word.text == "CHAR" || word.text == "CHARACTER") cursor.AcceptWord("VARYING");
  int first = known->first;
  int second = known->second;
  if (known->first != kNone && cursor.AcceptSymbol("(")) {
    ASSIGN_OR_RETURN(first, ParseSize(cursor));
    if (known->second != kNone && cursor.AcceptSymbol(",")) {
      ASSIGN_OR_RETURN(second, ParseSize(cursor));
    }
    RETURN_IF_ERROR(cursor.ExpectSymbol(")"));
  }
  bool too_wide = known->kind == Kind::kNumber && known->first != kNone &&
                  (first < 1 || first > 38 || second > 37);
  bool too_long = known->kind == Kind::kText && (first < 1 || first > kTextLengthMax);
  if (too_wide || too_long) {
    return CompilationError("001009 (22023)",
                            fmt::format("invalid value [{}] for parameter '{}'", first,
                                        too_long ? "length" : "precision"));
  }
  return Describe(*known, first, second);
}

Type TypeOfName(std::string_view data_type) {
  auto tokens = Tokenize(data_type);
  if (!tokens) return {};
  Cursor cursor(data_type, *tokens);
  auto parsed = ParseDataType(cursor);
  return parsed ? parsed->type : Type{};
}

std::string NameOfType(const Type& type) {
  switch (type.kind) {
    case Kind::kNumber:
      if (type.scale == kScaleUnknown) return "FLOAT";
      return fmt::format("NUMBER({},{})", type.size > 0 ? type.size : 38, type.scale);
    case Kind::kFloat:
      return "FLOAT";
    case Kind::kText:
      return fmt::format("VARCHAR({})", type.size > 0 ? type.size : kTextLengthMax);
    case Kind::kBinary:
      return "BINARY(8388608)";
    case Kind::kBoolean:
      return "BOOLEAN";
    case Kind::kDate:
      return "DATE";
    case Kind::kTime:
      return "TIME(9)";
    case Kind::kTimestamp:
      return "TIMESTAMP_NTZ(9)";
    case Kind::kObject:
      return "OBJECT";
    case Kind::kArray:
      return "ARRAY";
    default:
      return "VARIANT";
  }
}

Type CommonType(const Type& a, const Type& b) {
  if (a.kind == Kind::kUnknown) return b;
  if (b.kind == Kind::kUnknown) return a;
  if (a.kind == b.kind) {
    Type common = a;
    common.size = std::max(a.size, b.size);
    common.scale = a.scale == kScaleUnknown || b.scale == kScaleUnknown
                       ? kScaleUnknown
                       : std::max(a.scale, b.scale);
    return common;
  }
  if (a.IsNumeric() && b.IsNumeric()) return Of(Kind::kFloat);
  if (a.IsMoment() && b.IsMoment()) return Of(Kind::kTimestamp);
  if (a.kind == Kind::kText) return b;
  if (b.kind == Kind::kText) return a;
  return {};
}

std::string_view StorageOf(const Type& type) {
  switch (type.kind) {
    case Kind::kNumber:
    case Kind::kBoolean:
      return "NUMERIC";
    case Kind::kFloat:
      return "REAL";
    case Kind::kText:
    case Kind::kDate:
    case Kind::kTime:
    case Kind::kTimestamp:
      return "TEXT";
    default:
      return "BLOB";
  }
}

std::string BaseName(std::string_view data_type) {
  std::string base(data_type.substr(0, data_type.find('(')));
  return base == "VARCHAR" ? "TEXT" : base;
}

}  // namespace viv::engine::guest_sql
