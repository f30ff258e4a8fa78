// Looking values up in rows and columns.

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/formula/functions.h"

namespace viv::formula {
namespace {

enum class Fit { kExact, kExactOrSmaller, kExactOrLarger, kWildcard };

// One row or column of values: of the grid, or of an array that it keeps.
struct Line {
  CachedLine* cached = nullptr;
  std::vector<const Value*> own;
  Array kept;
  bool is_row = false;

  const std::vector<const Value*>& values() const { return cached ? cached->values() : own; }
  int size() const { return static_cast<int>(values().size()); }
  const Value& At(int place) const { return *values()[static_cast<std::size_t>(place)]; }
};

// `at` counts the lines of the argument from 0: columns of a table, or rows when `is_row`.
Line LineOfArea(Call& call, const Area& whole, bool is_row, int at) {
  Line line;
  line.is_row = is_row;
  Area area = call.evaluator().Clipped(whole);
  if (is_row) {
    area.first_row = area.last_row = area.first_row + at;
  } else {
    area.first_column = area.last_column = area.first_column + at;
  }
  line.cached = call.evaluator().LineOf(area);
  return line;
}

Line LineOfArray(Array array, bool is_row, int at) {
  Line line;
  line.is_row = is_row;
  line.kept = std::move(array);
  int count = is_row ? line.kept.columns : line.kept.rows;
  for (int i = 0; i < count; ++i)
    line.own.push_back(is_row ? &line.kept.At(at, i) : &line.kept.At(i, at));
  return line;
}

bool SameKind(const Value& a, const Value& b) {
  return a.index() == b.index() || (IsBlank(a) && std::holds_alternative<double>(b));
}

bool FitsValue(const Value& wanted, const Value& candidate, Fit fit) {
  const auto* pattern = std::get_if<std::string>(&wanted);
  const auto* text = std::get_if<std::string>(&candidate);
  if (fit == Fit::kWildcard && pattern && text && HasWildcard(*pattern))
    return MatchesWildcard(*pattern, *text);
  return SameKind(wanted, candidate) && Compare(wanted, candidate) == 0;
}

std::int64_t CostOf(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text ? 1 + static_cast<std::int64_t>(text->size() / 16) : 1;
}

enum class Order { kFirst, kLast };

// The place of the value, searched one by one; -1: nowhere. When an approximate fit is asked for,
// the nearest one on that side.
int FindLinear(Call& call, const Line& line, const Value& wanted, Fit fit, Order order) {
  const auto* pattern = std::get_if<std::string>(&wanted);
  bool exact = fit == Fit::kExact || (fit == Fit::kWildcard && !(pattern && HasWildcard(*pattern)));
  if (exact && line.cached && order == Order::kFirst)
    if (std::optional<int> place = line.cached->FirstPlace(wanted)) return *place;
  int best = -1, count = line.size();
  for (int n = 0; n < count; ++n) {
    int i = order == Order::kFirst ? n : count - 1 - n;
    const Value& candidate = line.At(i);
    if (!call.evaluator().Charge(CostOf(candidate))) return -1;
    if (IsBlank(candidate)) continue;
    if (FitsValue(wanted, candidate, fit)) return i;
    if (fit != Fit::kExactOrSmaller && fit != Fit::kExactOrLarger) continue;
    if (!SameKind(wanted, candidate)) continue;
    int side = fit == Fit::kExactOrSmaller ? 1 : -1;
    if (Compare(wanted, candidate) != side) continue;
    bool nearer = best < 0 || Compare(candidate, line.At(best)) == side;
    if (nearer) best = i;
  }
  return best;
}

// In a list that is sorted ascending: the last place not above the value. Values of other kinds are
// passed over, which a plain bisection could not.
int FindSorted(Call& call, const Line& line, const Value& wanted, bool descending) {
  std::vector<int> places;
  for (int i = 0; i < line.size(); ++i)
    if (SameKind(wanted, line.At(i))) places.push_back(i);
  if (!call.evaluator().Charge(line.size() / 8 + 1)) return -1;
  auto not_beyond = [&](int place) {
    int order = Compare(line.At(place), wanted);
    return descending ? order >= 0 : order <= 0;
  };
  auto beyond = std::partition_point(places.begin(), places.end(), not_beyond);
  return beyond == places.begin() ? -1 : *(beyond - 1);
}

struct Extent {
  int rows = 1, columns = 1;
};

Extent ExtentOf(Call& call, int argument) {
  const Reference* reference = call.AsReference(argument);
  if (reference && reference->size() == 1) {
    Area area = call.evaluator().Clipped((*reference)[0]);
    return {area.rows(), area.columns()};
  }
  if (const auto* array = std::get_if<Array>(&call.Raw(argument)))
    return {array->rows, array->columns};
  return {};
}

Line LineAt(Call& call, int argument, bool is_row, int at) {
  const Reference* reference = call.AsReference(argument);
  if (reference && reference->size() == 1) return LineOfArea(call, (*reference)[0], is_row, at);
  return LineOfArray(call.Matrix(argument), is_row, at);
}

// An argument that is one row or one column.
Line ReadLine(Call& call, int argument) {
  Extent extent = ExtentOf(call, argument);
  if (extent.rows > 1 && extent.columns > 1) call.Fail(ErrorKind::kNotAvailable);
  return LineAt(call, argument, extent.rows == 1, 0);
}

// One value of an argument, without reading the others.
Value ValueOf(Call& call, int argument, int row, int column) {
  if (const Reference* reference = call.AsReference(argument)) {
    const Area& area = (*reference)[0];
    return call.evaluator().Read({area.sheet, area.first_row + row, area.first_column + column});
  }
  if (const auto* array = std::get_if<Array>(&call.Raw(argument))) return array->At(row, column);
  return call.Any(argument);
}

// The value that is looked for: an empty cell means 0.
Value Wanted(Call& call, int i) {
  Value value = call.Scalar(i);
  return IsBlank(value) ? Value(0.0) : value;
}

Operand RunTableLookup(Call& call, bool by_row) {
  Value wanted = Wanted(call, 0);
  Extent table = ExtentOf(call, 1);
  int index = call.Integer(2);
  bool approximate = call.Has(3) ? call.Flag(3) : call.size() < 4;
  if (index < 1) call.Fail(ErrorKind::kValue);
  if (index > (by_row ? table.rows : table.columns)) call.Fail(ErrorKind::kReference);
  if (call.error() || call.evaluator().halted()) return Num(0);
  Line keys = LineAt(call, 1, by_row, 0);
  int found = approximate ? FindSorted(call, keys, wanted, false)
                          : FindLinear(call, keys, wanted, Fit::kWildcard, Order::kFirst);
  if (found < 0) return Err(ErrorKind::kNotAvailable);
  return by_row ? ValueOf(call, 1, index - 1, found) : ValueOf(call, 1, found, index - 1);
}

Operand RunMatch(Call& call) {
  Value wanted = Wanted(call, 0);
  Line line = ReadLine(call, 1);
  double type = call.Number(2, 1);
  if (call.error()) return Num(0);
  int found = type == 0 ? FindLinear(call, line, wanted, Fit::kWildcard, Order::kFirst)
                        : FindSorted(call, line, wanted, type < 0);
  return found < 0 ? Err(ErrorKind::kNotAvailable) : Num(found + 1);
}

std::optional<Fit> FitOf(int mode) {
  switch (mode) {
    case 0:
      return Fit::kExact;
    case -1:
      return Fit::kExactOrSmaller;
    case 1:
      return Fit::kExactOrLarger;
    case 2:
      return Fit::kWildcard;
    default:
      return std::nullopt;
  }
}

Operand RunXMatch(Call& call) {
  Value wanted = Wanted(call, 0);
  std::optional<Fit> fit = FitOf(call.Integer(2, 0));
  int search = call.Integer(3, 1);
  if (!fit) return Err(ErrorKind::kValue);
  int found = FindLinear(call, ReadLine(call, 1), wanted, *fit,
                         search == -1 ? Order::kLast : Order::kFirst);
  return found < 0 ? Err(ErrorKind::kNotAvailable) : Num(found + 1);
}

Operand RunXLookup(Call& call) {
  Value wanted = Wanted(call, 0);
  std::optional<Fit> fit = FitOf(call.Integer(4, 0));
  int search = call.Integer(5, 1);
  if (!fit) return Err(ErrorKind::kValue);
  Line line = ReadLine(call, 1);
  Extent results = ExtentOf(call, 2);
  if (call.error() || call.evaluator().halted()) return Num(0);
  int found = FindLinear(call, line, wanted, *fit, search == -1 ? Order::kLast : Order::kFirst);
  if (call.evaluator().halted()) return Num(0);
  if (found < 0) return call.Has(3) ? call.Raw(3) : Err(ErrorKind::kNotAvailable);
  int count = line.size();
  bool across = line.is_row && results.columns == count;
  if (!across && results.rows != count) return Err(ErrorKind::kValue);
  Array out(across ? results.rows : 1, across ? 1 : results.columns);
  for (int i = 0; i < static_cast<int>(out.cells.size()); ++i)
    out.cells[static_cast<std::size_t>(i)] =
        across ? ValueOf(call, 2, i, found) : ValueOf(call, 2, found, i);
  return out;
}

// LOOKUP(value, keys, [results]), or in a table: its first and last column, or row when it is wide.
Operand RunLookup(Call& call) {
  Value wanted = Wanted(call, 0);
  Extent table = ExtentOf(call, 1);
  bool wide = call.size() > 2 ? table.rows == 1 : table.columns > table.rows;
  Line keys = LineAt(call, 1, wide, 0);
  if (call.error() || call.evaluator().halted()) return Num(0);
  int found = FindSorted(call, keys, wanted, false);
  if (found < 0) return Err(ErrorKind::kNotAvailable);
  if (call.size() == 2)
    return wide ? ValueOf(call, 1, table.rows - 1, found)
                : ValueOf(call, 1, found, table.columns - 1);
  Line results = ReadLine(call, 2);
  if (found >= results.size()) return Err(ErrorKind::kNotAvailable);
  return results.At(found);
}

const std::array kLookupTable = {
    Function{"VLOOKUP", "VRVV", 3, 4, [](Call& c) { return RunTableLookup(c, false); }},
    Function{"HLOOKUP", "VRVV", 3, 4, [](Call& c) { return RunTableLookup(c, true); }},
    Function{"LOOKUP", "VRR", 2, 3, RunLookup},
    Function{"MATCH", "VRV", 2, 3, RunMatch},
    Function{"XMATCH", "VRVV", 2, 4, RunXMatch},
    Function{"XLOOKUP", "VRRRVV", 3, 6, RunXLookup},
};

}  // namespace

FunctionList LookupFunctions() {
  return kLookupTable;
}

}  // namespace viv::formula
