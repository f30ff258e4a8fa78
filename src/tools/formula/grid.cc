#include "tools/formula/grid.h"

#include <algorithm>

#include "base/text.h"
#include "tools/formula/reference.h"

namespace viv::formula {

std::optional<std::string> CellSource::DefinedName(std::string_view, int) const {
  return std::nullopt;
}

std::vector<Table> CellSource::Tables() const {
  return {};
}

Grid::Grid(const CellSource& source) : source_(source), tables_(source.Tables()) {
  for (std::string& name : source.SheetNames()) sheets_.push_back({std::move(name), {}, {}});
  for (int sheet = 0; sheet < sheets(); ++sheet)
    source.ForEachCell(sheet, [&](int row, int column, const Cell& cell) {
      if (row < 1 || row > kRowMax || column < 1 || column > kColumnMax) return;
      if (IsBlank(cell.value) && cell.formula.empty()) return;
      GridCell& added = cells_.emplace_back();
      added.address = {sheet, row, column};
      if (cell.formula.empty()) {
        added.value = cell.value;
        return;
      }
      added.formula = cell.formula;
      added.is_array = cell.is_array;
      added.state = CellState::kWaiting;
    });
  Index();
}

void Grid::Index() {
  auto before = [](const GridCell& a, const GridCell& b) { return a.address < b.address; };
  auto same = [](const GridCell& a, const GridCell& b) { return a.address == b.address; };
  if (!std::is_sorted(cells_.begin(), cells_.end(), before))
    std::stable_sort(cells_.begin(), cells_.end(), before);
  cells_.erase(std::unique(cells_.begin(), cells_.end(), same), cells_.end());
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const CellAddress& at = cells_[i].address;
    used_rows_ = std::max(used_rows_, at.row);
    used_columns_ = std::max(used_columns_, at.column);
    Sheet& sheet = sheets_[Place(at.sheet)];
    if (cells_[i].state == CellState::kWaiting) {
      if (sheet.waiting.size() <= Place(at.column)) sheet.waiting.resize(Place(at.column) + 1);
      ++sheet.waiting[Place(at.column)];
    }
    std::vector<Row>& rows = sheet.rows;
    if (rows.empty() || rows.back().number != at.row) rows.push_back({at.row, i, i});
    rows.back().end = i + 1;
  }
}

std::optional<int> Grid::FindSheet(std::string_view name) const {
  for (int sheet = 0; sheet < sheets(); ++sheet)
    if (EqualsIgnoreCase(sheet_name(sheet), name)) return sheet;
  return std::nullopt;
}

const Table* Grid::FindTable(std::string_view name) const {
  for (const Table& table : tables_)
    if (EqualsIgnoreCase(table.name, name)) return &table;
  return nullptr;
}

const Table* Grid::TableAround(const CellAddress& at) const {
  for (const Table& table : tables_)
    if (table.sheet == at.sheet && table.first_row <= at.row && at.row <= table.last_row &&
        table.first_column <= at.column && at.column <= table.last_column)
      return &table;
  return nullptr;
}

std::vector<Grid::Row>::const_iterator Grid::FirstRow(const Sheet& sheet, int row) {
  return std::lower_bound(sheet.rows.begin(), sheet.rows.end(), row,
                          [](const Row& item, int number) { return item.number < number; });
}

std::size_t Grid::FirstCell(const Row& row, int column) const {
  auto begin = cells_.begin() + static_cast<std::ptrdiff_t>(row.begin);
  auto end = cells_.begin() + static_cast<std::ptrdiff_t>(row.end);
  auto found = std::lower_bound(begin, end, column, [](const GridCell& cell, int wanted) {
    return cell.address.column < wanted;
  });
  return static_cast<std::size_t>(found - cells_.begin());
}

const GridCell* Grid::Find(const CellAddress& at) const {
  if (at.sheet < 0 || at.sheet >= sheets()) return nullptr;
  const Sheet& sheet = sheets_[Place(at.sheet)];
  auto row = FirstRow(sheet, at.row);
  if (row == sheet.rows.end() || row->number != at.row) return nullptr;
  std::size_t index = FirstCell(*row, at.column);
  if (index >= row->end || cells_[index].address.column != at.column) return nullptr;
  return &cells_[index];
}

void Grid::Settle(const GridCell& cell, CellState state) {
  cells_[static_cast<std::size_t>(&cell - cells_.data())].state = state;
  --sheets_[Place(cell.address.sheet)].waiting[Place(cell.address.column)];
}

bool Grid::HasWaiting(const Area& area) const {
  // Columns of plain values, which most lookups and sums are about, need not be searched.
  const std::vector<int>& columns = sheets_[Place(area.sheet)].waiting;
  bool any = false;
  for (int column = area.first_column;
       column <= area.last_column && Place(column) < columns.size() && !any; ++column)
    any = columns[Place(column)] > 0;
  if (!any) return false;
  bool found = false;
  ForEach(area, [&](const GridCell& cell) {
    found = cell.state == CellState::kWaiting || cell.state == CellState::kRunning;
    return !found;
  });
  return found;
}

}  // namespace viv::formula
