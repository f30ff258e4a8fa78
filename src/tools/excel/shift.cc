#include "tools/excel/shift.h"

#include <algorithm>

#include "base/text.h"
#include "tools/excel/table.h"

namespace viv::tools::excel {
namespace {

bool IsInsert(const Shift& shift) {
  return shift.change == formula::Change::kInsert;
}

bool IsRows(const Shift& shift) {
  return shift.axis == formula::Axis::kRows;
}

// Where a row or column is after the shift; 0: it was deleted.
std::uint32_t ShiftedIndex(std::uint32_t index, const Shift& shift) {
  if (index < shift.at) return index;
  if (IsInsert(shift)) return index + shift.count;
  return index < shift.at + shift.count ? 0 : index - shift.count;
}

// First and last of an interval after the shift; false: gone. An interval grows with what is put
// into it and shrinks by what is taken out.
bool ShiftInterval(std::uint32_t& first,
                   std::uint32_t& last,
                   const Shift& shift,
                   std::uint32_t most) {
  if (IsInsert(shift)) {
    if (first >= shift.at) first += shift.count;
    if (last >= shift.at) last += shift.count;
    last = std::min(last, most);
    return first <= most;
  }
  const std::uint32_t end = shift.at + shift.count;  // the first that stays
  if (first >= shift.at && last < end) return false;
  if (first >= end) {
    first -= shift.count;
  } else if (first >= shift.at) {
    first = shift.at;
  }
  if (last >= end) {
    last -= shift.count;
  } else if (last >= shift.at) {
    last = shift.at - 1;
  }
  return true;
}

void MoveRows(Sheet& sheet, const Shift& shift) {
  std::map<std::uint32_t, Row> moved;
  for (auto& [number, row] : sheet.rows())
    if (const std::uint32_t to = ShiftedIndex(number, shift); to != 0)
      moved.emplace(to, std::move(row));
  sheet.rows() = std::move(moved);
}

void MoveColumns(Sheet& sheet, const Shift& shift) {
  for (auto& [number, row] : sheet.rows()) {
    std::vector<std::pair<std::uint32_t, Cell>> moved;
    for (const auto& [column, cell] : row.cells)
      if (const std::uint32_t to = ShiftedIndex(column, shift); to != 0)
        moved.emplace_back(to, cell);
    row.cells = std::move(moved);
  }
}

// "A1:B2 C3" after the shift; empty when nothing of it is left.
std::string ShiftedReferences(std::string_view references, const Shift& shift) {
  std::string out;
  for (const std::string_view word : Split(references, ' ')) {
    if (word.empty()) continue;
    const auto range = ParseRange(word);
    const auto moved = range ? ShiftedRange(*range, shift) : std::nullopt;
    if (range && !moved) continue;
    if (!out.empty()) out += ' ';
    out += moved ? ToShortText(*moved) : std::string(word);
  }
  return out;
}

// Moves the attribute of every child of that name; a child whose cells are gone goes too.
void ShiftChildren(pugi::xml_node parent,
                   const char* name,
                   const char* attribute,
                   const Shift& shift) {
  for (pugi::xml_node child = parent.child(name); child;) {
    const pugi::xml_node next = child.next_sibling(name);
    const std::string moved = ShiftedReferences(child.attribute(attribute).value(), shift);
    if (moved.empty()) {
      parent.remove_child(child);
    } else {
      child.attribute(attribute).set_value(moved.c_str());
    }
    child = next;
  }
}

void DropWhenEmpty(pugi::xml_node parent, const char* name) {
  const pugi::xml_node list = parent.child(name);
  if (list && !list.first_child()) parent.remove_child(list);
}

void ShiftWidths(Sheet& sheet, const Shift& shift) {
  pugi::xml_node widths = sheet.root().child("cols");
  for (pugi::xml_node width = widths.child("col"); width;) {
    const pugi::xml_node next = width.next_sibling("col");
    std::uint32_t first = width.attribute("min").as_uint(), last = width.attribute("max").as_uint();
    if (ShiftInterval(first, last, shift, kColumnsMax)) {
      width.attribute("min").set_value(first);
      width.attribute("max").set_value(last);
    } else {
      widths.remove_child(width);
    }
    width = next;
  }
  DropWhenEmpty(sheet.root(), "cols");
}

void ShiftElements(Workbook& workbook, Sheet& sheet, const Shift& shift) {
  pugi::xml_node root = sheet.root();
  ShiftChildren(root, "conditionalFormatting", "sqref", shift);
  ShiftChildren(root.child("dataValidations"), "dataValidation", "sqref", shift);
  ShiftChildren(root.child("hyperlinks"), "hyperlink", "ref", shift);
  ShiftChildren(root, "autoFilter", "ref", shift);
  DropWhenEmpty(root, "dataValidations");
  DropWhenEmpty(root, "hyperlinks");
  if (!IsRows(shift)) ShiftWidths(sheet, shift);
  for (const ooxml::Relation& relation : workbook.package().Relations(sheet.part())) {
    if (relation.external || !(relation.Is("table") || relation.Is("comments"))) continue;
    auto document = workbook.package().Xml(relation.target);
    if (!document) continue;
    pugi::xml_node part = (*document)->document_element();
    ShiftChildren(part.child("commentList"), "comment", "ref", shift);
    if (!relation.Is("table")) continue;
    const std::string moved = ShiftedReferences(part.attribute("ref").value(), shift);
    if (!moved.empty() && IsRows(shift)) {
      part.attribute("ref").set_value(moved.c_str());
      ShiftChildren(part, "autoFilter", "ref", shift);
    }
  }
}

void ShiftKept(Sheet& sheet, const Shift& shift) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, XmlAttributes> moved;
  for (auto& [place, attributes] : sheet.formula_attributes()) {
    const std::uint32_t row = IsRows(shift) ? ShiftedIndex(place.first, shift) : place.first;
    const std::uint32_t column = IsRows(shift) ? place.second : ShiftedIndex(place.second, shift);
    if (row == 0 || column == 0) continue;
    for (auto& [name, value] : attributes)
      if (name == "ref") value = ShiftedReferences(value, shift);
    moved.emplace(std::pair(row, column), std::move(attributes));
  }
  sheet.formula_attributes() = std::move(moved);
  std::vector<Range> merged;
  for (const Range& range : sheet.merged())
    if (const auto to = ShiftedRange(range, shift); to && !(to->first == to->last))
      merged.push_back(*to);
  sheet.merged() = std::move(merged);
}

}  // namespace

std::optional<Range> ShiftedRange(Range range, const Shift& shift) {
  const bool stays = IsRows(shift)
                         ? ShiftInterval(range.first.row, range.last.row, shift, kRowsMax)
                         : ShiftInterval(range.first.column, range.last.column, shift, kColumnsMax);
  return stays ? std::optional<Range>(range) : std::nullopt;
}

Status ShiftCells(Workbook& workbook, Sheet& sheet, const Shift& shift) {
  const std::uint32_t most = IsRows(shift) ? kRowsMax : kColumnsMax;
  const Address last = sheet.Used().last;
  const std::uint32_t used = IsRows(shift) ? last.row : last.column;
  if (IsInsert(shift) && (shift.count > most || (used >= shift.at && used + shift.count > most)))
    return Fail(ErrorCode::kLimitExceeded, std::string("this would push cells beyond the last ") +
                                               (IsRows(shift) ? "row" : "column") +
                                               " of the sheet, " + std::to_string(most));
  ShiftKept(sheet, shift);
  if (IsRows(shift)) {
    MoveRows(sheet, shift);
  } else {
    MoveColumns(sheet, shift);
  }
  ShiftElements(workbook, sheet, shift);
  const formula::SheetChange change{.sheet = sheet.name(),
                                    .axis = shift.axis,
                                    .change = shift.change,
                                    .at = static_cast<int>(shift.at),
                                    .count = static_cast<int>(shift.count)};
  RewriteFormulas(workbook, [&](const std::string& text, const std::string& own) {
    return formula::Adjust(text, own, change);
  });
  return {};
}

}  // namespace viv::tools::excel
