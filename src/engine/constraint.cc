#include "engine/constraint.h"

#include <string_view>
#include <utility>

#include "base/text.h"

namespace viv::engine {
namespace {

constexpr std::size_t kShownBytesMax = 80;  // of one value

// "repo.owner_id, repo.name" of SQLite's message.
void ReadConstrainedColumns(std::string_view list, BrokenConstraint& broken) {
  while (!list.empty()) {
    std::size_t comma = list.find(", ");
    std::string_view column = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 2);
    std::size_t dot = column.find('.');
    if (dot == std::string_view::npos) continue;
    broken.table = column.substr(0, dot);
    broken.values.push_back({std::string(column.substr(dot + 1)), std::nullopt});
  }
}

std::string ShownValue(const json::value& value) {
  if (value.is_null()) return "left out";
  return Printable(WriteJson(value), kShownBytesMax);
}

// 'name "a", owner left out'
std::string NamedValues(const BrokenConstraint& broken) {
  std::string text;
  for (const ConstrainedValue& one : broken.values) {
    text += (text.empty() ? "" : ", ") + one.name;
    if (one.value) text += ' ' + ShownValue(*one.value);
  }
  return text;
}

std::string DescribeUnique(const BrokenConstraint& broken) {
  if (broken.values.empty()) return "this is there already; give it another name or id";
  bool shown = false;
  for (const ConstrainedValue& one : broken.values) shown = shown || one.value.has_value();
  if (!shown) {
    return "another " + broken.table + " has the same " + NamedValues(broken) +
           "; give this one its own";
  }
  if (broken.values.size() == 1) return NamedValues(broken) + " is there already; use it only once";
  return NamedValues(broken) + " are there already; use these together only once";
}

}  // namespace

std::optional<BrokenConstraint> FindBrokenConstraint(sqlite3* connection) {
  BrokenConstraint broken;
  switch (sqlite3_extended_errcode(connection)) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
      broken.kind = BrokenConstraint::Kind::kUnique;
      break;
    case SQLITE_CONSTRAINT_NOTNULL:
      broken.kind = BrokenConstraint::Kind::kNotNull;
      break;
    case SQLITE_CONSTRAINT_CHECK:
      broken.kind = BrokenConstraint::Kind::kCheck;
      return broken;  // its message is the expression
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      broken.kind = BrokenConstraint::Kind::kReference;
      return broken;
    default:
      return std::nullopt;
  }
  std::string_view message = sqlite3_errmsg(connection);
  constexpr std::string_view kBefore = "constraint failed: ";
  if (std::size_t at = message.find(kBefore); at != std::string_view::npos)
    ReadConstrainedColumns(message.substr(at + kBefore.size()), broken);
  return broken;
}

std::string DescribeConstraint(const BrokenConstraint& broken) {
  switch (broken.kind) {
    case BrokenConstraint::Kind::kUnique:
      return DescribeUnique(broken);
    case BrokenConstraint::Kind::kNotNull:
      return broken.values.empty()
                 ? "a value is missing; give it"
                 : NamedValues(broken) + " is missing or names nothing that is there; give another";
    case BrokenConstraint::Kind::kCheck:
      return "a value is not one of those allowed here; look at the fields' descriptions";
    case BrokenConstraint::Kind::kReference:
      return "this refers to something that does not exist; create that first";
  }
  return "a value cannot be stored";
}

std::optional<std::string> DescribeRefusal(sqlite3* connection) {
  constexpr std::string_view kBefore = "The arguments are not valid: ";
  std::string_view reason;
  switch (sqlite3_errcode(connection)) {
    case SQLITE_TOOBIG:
      reason = "a value is too long";
      break;
    case SQLITE_MISMATCH:
      reason = "a number is too large, or is not an integer";
      break;
    case SQLITE_CONSTRAINT:
      reason = "a value cannot be stored";
      break;
    case SQLITE_ERROR: {
      std::string_view message = sqlite3_errmsg(connection);
      if (message.find("JSON path") != message.npos || message.find("bad JSON") != message.npos) {
        reason = "a text names no place within an object";
      } else if (message.find("JSON") != message.npos) {
        reason = "an object, a list or JSON text is expected";
      } else if (message.find("overflow") != message.npos) {
        reason = "a number is too large";
      } else if (message.find("too complex") != message.npos) {
        reason = "a text to search for is too long";
      } else {
        reason = "a value cannot be used here";
      }
      break;
    }
    default:
      return std::nullopt;
  }
  return std::string(kBefore) + std::string(reason);
}

}  // namespace viv::engine
