#include "tools/excel/sheet.h"

#include <algorithm>
#include <array>

namespace viv::tools::excel {
namespace {

// The children of <worksheet> in the order of the schema; readers refuse another.
constexpr std::array<std::string_view, 39> kSheetElements = {"sheetPr",
                                                             "dimension",
                                                             "sheetViews",
                                                             "sheetFormatPr",
                                                             "cols",
                                                             "sheetData",
                                                             "sheetCalcPr",
                                                             "sheetProtection",
                                                             "protectedRanges",
                                                             "scenarios",
                                                             "autoFilter",
                                                             "sortState",
                                                             "dataConsolidate",
                                                             "customSheetViews",
                                                             "mergeCells",
                                                             "phoneticPr",
                                                             "conditionalFormatting",
                                                             "dataValidations",
                                                             "hyperlinks",
                                                             "printOptions",
                                                             "pageMargins",
                                                             "pageSetup",
                                                             "headerFooter",
                                                             "rowBreaks",
                                                             "colBreaks",
                                                             "customProperties",
                                                             "cellWatches",
                                                             "ignoredErrors",
                                                             "smartTags",
                                                             "drawing",
                                                             "drawingHF",
                                                             "legacyDrawing",
                                                             "legacyDrawingHF",
                                                             "picture",
                                                             "oleObjects",
                                                             "controls",
                                                             "webPublishItems",
                                                             "tableParts",
                                                             "extLst"};

std::size_t ElementRank(std::string_view name) {
  return static_cast<std::size_t>(std::find(kSheetElements.begin(), kSheetElements.end(), name) -
                                  kSheetElements.begin());
}

auto ColumnPlace(const Row& row, std::uint32_t column) {
  return std::lower_bound(
      row.cells.begin(), row.cells.end(), column,
      [](const auto& entry, std::uint32_t wanted) { return entry.first < wanted; });
}

}  // namespace

const Cell* Sheet::Find(Address at) const {
  const auto row = rows_.find(at.row);
  if (row == rows_.end()) return nullptr;
  const auto place = ColumnPlace(row->second, at.column);
  return place != row->second.cells.end() && place->first == at.column ? &place->second : nullptr;
}

Cell& Sheet::At(Address at) {
  Row& row = rows_[at.row];
  if (row.cells.empty() || row.cells.back().first < at.column)
    return row.cells.emplace_back(at.column, Cell{}).second;
  const auto offset = ColumnPlace(row, at.column) - row.cells.begin();
  const auto place = row.cells.begin() + offset;
  if (place->first == at.column) return place->second;
  return row.cells.emplace(place, at.column, Cell{})->second;
}

void Sheet::Erase(Address at) {
  const auto row = rows_.find(at.row);
  if (row == rows_.end()) return;
  const auto offset = ColumnPlace(row->second, at.column) - row->second.cells.begin();
  const auto place = row->second.cells.begin() + offset;
  if (place == row->second.cells.end() || place->first != at.column) return;
  row->second.cells.erase(place);
  formula_attributes_.erase({at.row, at.column});
}

void Sheet::SetBlank(Address at) {
  Cell& cell = At(at);
  cell = Cell{.style = cell.style};
  formula_attributes_.erase({at.row, at.column});
}

void Sheet::SetNumber(Address at, double number) {
  SetBlank(at);
  Cell& cell = At(at);
  cell.kind = CellKind::kNumber;
  cell.number = number;
}

void Sheet::SetText(Address at, std::string_view text) {
  SetBlank(at);
  Cell& cell = At(at);
  cell.kind = CellKind::kText;
  cell.text = strings_->Intern(text);
}

void Sheet::SetBoolean(Address at, bool value) {
  SetBlank(at);
  Cell& cell = At(at);
  cell.kind = CellKind::kBoolean;
  cell.number = value ? 1 : 0;
}

void Sheet::SetError(Address at, std::string_view code) {
  SetBlank(at);
  Cell& cell = At(at);
  cell.kind = CellKind::kError;
  cell.text = strings_->Intern(code);
}

void Sheet::SetFormula(Address at, std::string_view formula) {
  SetBlank(at);
  At(at).formula = strings_->Intern(formula);
}

Range Sheet::Used() const {
  Range used{{kRowsMax + 1, kColumnsMax + 1}, {0, 0}};
  const auto cover = [&](Address first, Address last) {
    used.first = {std::min(used.first.row, first.row), std::min(used.first.column, first.column)};
    used.last = {std::max(used.last.row, last.row), std::max(used.last.column, last.column)};
  };
  for (const auto& [number, row] : rows_)
    if (!row.cells.empty())
      cover({number, row.cells.front().first}, {number, row.cells.back().first});
  for (const Range& range : merged_) cover(range.first, range.last);
  return used.last.row == 0 ? Range{} : used;
}

bool Sheet::Covered(Address at) const {
  return std::any_of(merged_.begin(), merged_.end(), [&](const Range& range) {
    return range.Contains(at) && !(range.first == at);
  });
}

pugi::xml_node Sheet::Element(std::string_view name) {
  const std::string wanted(name);
  if (pugi::xml_node found = root_.child(wanted.c_str())) return found;
  const std::size_t rank = ElementRank(name);
  for (pugi::xml_node child : root_.children()) {
    const std::size_t other = ElementRank(child.name());
    if (other > rank && other < kSheetElements.size())
      return root_.insert_child_before(wanted.c_str(), child);
  }
  return root_.append_child(wanted.c_str());
}

}  // namespace viv::tools::excel
