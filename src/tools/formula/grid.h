#pragma once
// The cells of a workbook as the computation sees them: sparse, in order of rows, and for formula
// cells with the state of their value. One thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/formula/formula.h"
#include "tools/formula/operand.h"

namespace viv::formula {

enum class CellState : std::uint8_t { kDone, kWaiting, kRunning, kUnfinished };

struct GridCell {
  CellAddress address;
  Value value;
  std::string formula;
  bool is_array = false;
  CellState state = CellState::kDone;
};

class Grid {
 public:
  explicit Grid(const CellSource& source);

  const CellSource& source() const { return source_; }
  int sheets() const { return static_cast<int>(sheets_.size()); }
  const std::string& sheet_name(int sheet) const { return sheets_[Place(sheet)].name; }
  std::optional<int> FindSheet(std::string_view name) const;
  const Table* FindTable(std::string_view name) const;
  const Table* TableAround(const CellAddress& at) const;

  // The last row and column of any sheet that hold something.
  int used_rows() const { return used_rows_; }
  int used_columns() const { return used_columns_; }

  const GridCell* Find(const CellAddress& at) const;  // nullptr: an empty cell
  std::vector<GridCell>& cells() { return cells_; }   // in order of address

  // Calls visit(cell) for every cell of the area that holds something, row by row, until it
  // returns false.
  template <typename Visitor>
  void ForEach(const Area& area, const Visitor& visit) const {
    const Sheet& sheet = sheets_[Place(area.sheet)];
    for (auto row = FirstRow(sheet, area.first_row);
         row != sheet.rows.end() && row->number <= area.last_row; ++row)
      for (std::size_t i = FirstCell(*row, area.first_column); i < row->end; ++i) {
        if (cells_[i].address.column > area.last_column) break;
        if (!visit(cells_[i])) return;
      }
  }

  // Whether a formula cell of the area has no value yet.
  bool HasWaiting(const Area& area) const;
  // A formula cell has got its value, or will never get one.
  void Settle(const GridCell& cell, CellState state);

 private:
  struct Row {
    int number = 0;
    std::size_t begin = 0, end = 0;  // in cells_
  };
  struct Sheet {
    std::string name;
    std::vector<Row> rows;
    std::vector<int> waiting;  // by column: how many cells have no value yet
  };

  static std::size_t Place(int index) { return static_cast<std::size_t>(index); }
  static std::vector<Row>::const_iterator FirstRow(const Sheet& sheet, int row);
  std::size_t FirstCell(const Row& row, int column) const;
  void Index();

  const CellSource& source_;
  std::vector<GridCell> cells_;
  std::vector<Sheet> sheets_;
  std::vector<Table> tables_;
  int used_rows_ = 1, used_columns_ = 1;
};

}  // namespace viv::formula
