#pragma once
// What an expression yields while a formula is computed: a value, an array of values, or a
// reference whose cells have not been read.

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "tools/formula/value.h"

namespace viv::formula {

constexpr std::int64_t kArrayCellsMax = 1 << 20;
constexpr std::size_t kTextBytesMax = 1 << 20;

struct Area {
  int sheet = 0;
  int first_row = 1, first_column = 1, last_row = 1, last_column = 1;  // in order

  int rows() const { return last_row - first_row + 1; }
  int columns() const { return last_column - first_column + 1; }
  bool IsCell() const { return rows() == 1 && columns() == 1; }
  bool operator==(const Area&) const = default;
};

using Reference = std::vector<Area>;

// Rows and columns count from 0.
struct Array {
  int rows = 0;
  int columns = 0;
  std::vector<Value> cells;

  Array() = default;
  Array(int row_count, int column_count)
      : rows(row_count),
        columns(column_count),
        cells(static_cast<std::size_t>(row_count) * static_cast<std::size_t>(column_count)) {}

  Value& At(int row, int column) { return cells[Index(row, column)]; }
  const Value& At(int row, int column) const { return cells[Index(row, column)]; }

 private:
  std::size_t Index(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
  }
};

struct Missing {};  // an argument that was left out

using Operand = std::variant<Value, Array, Reference, Missing>;

}  // namespace viv::formula
