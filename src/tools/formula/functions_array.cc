// Functions that yield arrays; a cell shows their first value.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "tools/formula/functions.h"

namespace viv::formula {
namespace {

Array Turned(const Array& array) {
  Array out(array.columns, array.rows);
  for (int row = 0; row < array.rows; ++row)
    for (int column = 0; column < array.columns; ++column)
      out.At(column, row) = array.At(row, column);
  return out;
}

using Places = std::vector<int>;

Array ChosenRows(const Array& array, const Places& rows) {
  Array out(static_cast<int>(rows.size()), array.columns);
  for (int row = 0; row < out.rows; ++row)
    for (int column = 0; column < out.columns; ++column)
      out.At(row, column) = array.At(rows[static_cast<std::size_t>(row)], column);
  return out;
}

// Works on rows; `by_column` turns the array before and after.
Operand OnRows(Array array, bool by_column, const std::function<Places(const Array&)>& choose) {
  Array lying = by_column ? Turned(array) : std::move(array);
  Places rows = choose(lying);
  if (rows.empty()) return Err(ErrorKind::kCalculation);
  Array out = ChosenRows(lying, rows);
  return by_column ? Operand(Turned(out)) : Operand(std::move(out));
}

Operand RunFilter(Call& call) {
  Array array = call.Matrix(0), keep = call.Matrix(1);
  if (call.evaluator().halted()) return Num(0);
  bool by_column = keep.rows == 1 && keep.columns == array.columns && array.rows != 1;
  int count = static_cast<int>(keep.cells.size());
  if (count != (by_column ? array.columns : array.rows)) return Err(ErrorKind::kValue);
  Places chosen;
  for (int i = 0; i < count; ++i) {
    tl::expected<bool, ErrorKind> flag = ToFlag(keep.cells[static_cast<std::size_t>(i)]);
    if (!flag) return Err(flag.error());
    if (*flag) chosen.push_back(i);
  }
  if (chosen.empty() && call.Has(2)) return call.Raw(2);
  return OnRows(std::move(array), by_column, [&](const Array&) { return chosen; });
}

// Errors come last, blanks after everything.
bool SortsBefore(const Value& a, const Value& b, bool descending) {
  auto late = [](const Value& value) { return IsBlank(value) ? 2 : IsError(value) ? 1 : 0; };
  if (late(a) != late(b)) return late(a) < late(b);
  if (late(a) != 0) return false;
  int order = Compare(a, b);
  return descending ? order > 0 : order < 0;
}

Places Counting(int count) {
  Places places(static_cast<std::size_t>(std::max(count, 0)));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

bool ChargeSort(Call& call, int count) {
  return call.evaluator().Charge(static_cast<std::int64_t>(count) * 20);
}

Operand RunSort(Call& call) {
  int index = call.Integer(1, 1) - 1;
  bool descending = call.Number(2, 1) < 0, by_column = call.Flag(3, false);
  Array array = call.Matrix(0);
  if (call.evaluator().halted() || !ChargeSort(call, array.rows)) return Num(0);
  if (index < 0 || index >= (by_column ? array.rows : array.columns)) return Err(ErrorKind::kValue);
  return OnRows(std::move(array), by_column, [&](const Array& lying) {
    Places rows = Counting(lying.rows);
    std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) {
      return SortsBefore(lying.At(a, index), lying.At(b, index), descending);
    });
    return rows;
  });
}

Operand RunSortBy(Call& call) {
  Array array = call.Matrix(0);
  struct Key {
    Array values;
    bool descending;
  };
  std::vector<Key> keys;
  for (int i = 1; i < call.size(); i += 2)
    keys.push_back({call.Matrix(i), i + 1 < call.size() && call.Number(i + 1, 1) < 0});
  if (call.evaluator().halted() || call.error() || !ChargeSort(call, array.rows)) return Num(0);
  for (const Key& key : keys)
    if (static_cast<int>(key.values.cells.size()) != array.rows) return Err(ErrorKind::kValue);
  return OnRows(std::move(array), false, [&](const Array& lying) {
    Places rows = Counting(lying.rows);
    std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) {
      for (const Key& key : keys) {
        const Value& left = key.values.cells[static_cast<std::size_t>(a)];
        const Value& right = key.values.cells[static_cast<std::size_t>(b)];
        if (SortsBefore(left, right, key.descending)) return true;
        if (SortsBefore(right, left, key.descending)) return false;
      }
      return false;
    });
    return rows;
  });
}

int CompareRows(const Array& array, int a, int b) {
  for (int column = 0; column < array.columns; ++column) {
    const Value &left = array.At(a, column), &right = array.At(b, column);
    if (left.index() != right.index()) return left.index() < right.index() ? -1 : 1;
    if (IsError(left)) {
      if (left != right) return std::get<ErrorKind>(left) < std::get<ErrorKind>(right) ? -1 : 1;
    } else if (int order = Compare(left, right); order != 0) {
      return order;
    }
  }
  return 0;
}

Operand RunUnique(Call& call) {
  bool by_column = call.Flag(1, false), once = call.Flag(2, false);
  Array array = call.Matrix(0);
  if (call.evaluator().halted() || !ChargeSort(call, array.rows)) return Num(0);
  return OnRows(std::move(array), by_column, [&](const Array& lying) {
    Places sorted = Counting(lying.rows), chosen;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](int a, int b) { return CompareRows(lying, a, b) < 0; });
    for (std::size_t i = 0; i < sorted.size();) {
      std::size_t end = i + 1;
      while (end < sorted.size() && CompareRows(lying, sorted[i], sorted[end]) == 0) ++end;
      if (!once || end == i + 1) chosen.push_back(sorted[i]);
      i = end;
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  });
}

Operand RunSequence(Call& call, bool random) {
  int rows = call.Integer(0, 1), columns = call.Integer(1, 1);
  double start = call.Number(2, random ? 0 : 1), step = call.Number(3, 1);
  bool whole = random && call.Flag(4, false);
  if (rows < 1 || columns < 1) return Err(ErrorKind::kCalculation);
  std::int64_t size = static_cast<std::int64_t>(rows) * columns;
  if (size > kArrayCellsMax || !call.evaluator().Charge(size)) return Err(ErrorKind::kNumber);
  Array out(rows, columns);
  double number = start;
  for (Value& cell : out.cells) {
    if (random) {
      double part = call.evaluator().Random();
      number =
          whole ? start + std::floor(part * (step - start + 1)) : start + part * (step - start);
    }
    cell = number;
    number += step;
  }
  return out;
}

// TAKE and DROP: a negative count works from the end.
Places Kept(int count, double wanted, bool drop) {
  int n = std::min(ToInt(std::fabs(wanted)), count);
  int size = drop ? count - n : n;
  int first = (wanted < 0) != drop ? count - size : 0;
  Places all = Counting(count);
  return Places(all.begin() + first, all.begin() + first + size);
}

Operand RunTake(Call& call, bool drop) {
  Array array = call.Matrix(0);
  if (call.evaluator().halted()) return Num(0);
  if (call.Has(1)) {
    Places rows = Kept(array.rows, call.Number(1), drop);
    if (rows.empty()) return Err(ErrorKind::kCalculation);
    array = ChosenRows(array, rows);
  }
  if (call.Has(2)) {
    Places columns = Kept(array.columns, call.Number(2), drop);
    if (columns.empty()) return Err(ErrorKind::kCalculation);
    array = Turned(ChosenRows(Turned(array), columns));
  }
  return array;
}

Operand RunChooseLines(Call& call, bool columns) {
  Array array = call.Matrix(0);
  if (columns) array = Turned(array);
  Places chosen;
  for (double number : call.Numbers(1)) {
    int index = ToInt(number);
    if (index < 0) index += array.rows + 1;
    if (index < 1 || index > array.rows) return Err(ErrorKind::kValue);
    chosen.push_back(index - 1);
  }
  if (chosen.empty() ||
      !call.evaluator().Charge(static_cast<std::int64_t>(chosen.size()) * array.columns))
    return Err(ErrorKind::kValue);
  Array out = ChosenRows(array, chosen);
  return columns ? Turned(out) : out;
}

Operand RunStack(Call& call, bool side_by_side) {
  Array out(0, 0);
  std::vector<Array> arrays;
  std::int64_t rows = 0, columns = 0;
  for (int i = 0; i < call.size(); ++i) {
    Array array = call.Matrix(i);
    if (side_by_side) array = Turned(array);
    rows += array.rows;
    columns = std::max<std::int64_t>(columns, array.columns);
    arrays.push_back(std::move(array));
  }
  if (rows * columns > kArrayCellsMax || !call.evaluator().Charge(rows * columns))
    return Err(ErrorKind::kNumber);
  out = Array(static_cast<int>(rows), static_cast<int>(columns));
  int at = 0;
  for (const Array& array : arrays)
    for (int row = 0; row < array.rows; ++row, ++at)
      for (int column = 0; column < out.columns; ++column)
        out.At(at, column) =
            column < array.columns ? array.At(row, column) : Value(ErrorKind::kNotAvailable);
  return side_by_side ? Turned(out) : out;
}

Operand RunFlatten(Call& call, bool to_column) {
  Array array = call.Matrix(0);
  int ignore = call.Integer(1, 0);
  if (call.Flag(2, false)) array = Turned(array);
  Array out;
  for (Value& value : array.cells) {
    if ((ignore & 1) != 0 && IsBlank(value)) continue;
    if ((ignore & 2) != 0 && IsError(value)) continue;
    out.cells.push_back(std::move(value));
  }
  if (out.cells.empty()) return Err(ErrorKind::kCalculation);
  int count = static_cast<int>(out.cells.size());
  out.rows = to_column ? count : 1;
  out.columns = to_column ? 1 : count;
  return out;
}

const std::array kArrayTable = {
    Function{"FILTER", "R", 2, 3, RunFilter},
    Function{"SORT", "RVVV", 1, 4, RunSort},
    Function{"SORTBY", "R|RV", 2, kManyArguments, RunSortBy},
    Function{"UNIQUE", "RVV", 1, 3, RunUnique},
    Function{"SEQUENCE", "V", 1, 4, [](Call& c) { return RunSequence(c, false); }},
    Function{"RANDARRAY", "V", 0, 5, [](Call& c) { return RunSequence(c, true); }},
    Function{"TAKE", "RVV", 2, 3, [](Call& c) { return RunTake(c, false); }},
    Function{"DROP", "RVV", 2, 3, [](Call& c) { return RunTake(c, true); }},
    Function{"CHOOSEROWS", "|R", 2, kManyArguments,
             [](Call& c) { return RunChooseLines(c, false); }},
    Function{"CHOOSECOLS", "|R", 2, kManyArguments,
             [](Call& c) { return RunChooseLines(c, true); }},
    Function{"VSTACK", "|R", 1, kManyArguments, [](Call& c) { return RunStack(c, false); }},
    Function{"HSTACK", "|R", 1, kManyArguments, [](Call& c) { return RunStack(c, true); }},
    Function{"TOCOL", "RVV", 1, 3, [](Call& c) { return RunFlatten(c, true); }},
    Function{"TOROW", "RVV", 1, 3, [](Call& c) { return RunFlatten(c, false); }},
    Function{"TRANSPOSE", "R", 1, 1, [](Call& c) { return Operand(Turned(c.Matrix(0))); }},
};

}  // namespace

FunctionList ArrayFunctions() {
  return kArrayTable;
}

}  // namespace viv::formula
