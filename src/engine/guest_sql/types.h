#pragma once
// The product's data types: what a column declares, and what the translator knows about an
// expression. A value's form in SQLite follows its kind: numbers as they are, booleans as 0 and 1,
// dates and times as ISO text, a variant as the plain scalar or, for objects and arrays, as JSON
// text.

#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::engine::guest_sql {

class Cursor;

enum class Kind : char {
  kUnknown = '?',
  kNumber = 'n',
  kFloat = 'f',
  kText = 'v',
  kBinary = 'y',
  kBoolean = 'b',
  kDate = 'd',
  kTime = 't',
  kTimestamp = 's',
  kVariant = 'j',
  kObject = 'o',
  kArray = 'a'
};

constexpr int kScaleUnknown = -1;
constexpr int kTextLengthMax = 16'777'216;

struct Type {
  Kind kind = Kind::kUnknown;
  int size = 0;               // NUMBER's precision, VARCHAR's length; 0 when not known
  int scale = kScaleUnknown;  // NUMBER's digits after the point

  bool IsNumeric() const { return kind == Kind::kNumber || kind == Kind::kFloat; }
  bool IsSemiStructured() const {
    return kind == Kind::kVariant || kind == Kind::kObject || kind == Kind::kArray;
  }
  bool IsMoment() const { return kind == Kind::kDate || kind == Kind::kTimestamp; }
};

inline Type Number(int scale) {
  return {Kind::kNumber, 38, scale};
}
inline Type Of(Kind kind) {
  return {kind, 0, kScaleUnknown};
}

constexpr Type kTruth{Kind::kBoolean, 0, kScaleUnknown};

// A declared type: "NUMBER(10,2)" as the product spells it back, and what it means.
struct DataType {
  std::string name;
  Type type;
};

// Reads a type at the cursor: INT, VARCHAR(20), DOUBLE PRECISION, TIMESTAMP_NTZ(9) and their
// synonyms.
Result<DataType> ParseDataType(Cursor& cursor);

// The type of a declared name. What we do not know is unknown, as rows of a seed may declare
// anything.
Type TypeOfName(std::string_view data_type);

// How a column of this type is declared: of a table made AS a query.
std::string NameOfType(const Type& type);

// The type both alternatives of a CASE or the sides of a UNION share.
Type CommonType(const Type& a, const Type& b);

// The affinity of the column that stores it: TEXT, NUMERIC, REAL or BLOB (none).
std::string_view StorageOf(const Type& type);

// INFORMATION_SCHEMA's short name: NUMBER, TEXT, TIMESTAMP_NTZ.
std::string BaseName(std::string_view data_type);

}  // namespace viv::engine::guest_sql
