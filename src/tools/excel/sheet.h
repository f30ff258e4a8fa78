#pragma once
// A sheet of a workbook: its cells as a sparse table, everything else (widths, merged ranges,
// validations, drawings, what nobody here knows) as the XML it came with. Cells are put back into
// that XML when the workbook is written.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pugixml.hpp>

#include "base/result.h"
#include "tools/excel/cell.h"
#include "tools/excel/strings.h"

namespace viv::tools::excel {

using XmlAttributes = std::vector<std::pair<std::string, std::string>>;

struct Row {
  XmlAttributes attributes;                           // height, style and so on; not its number
  std::vector<std::pair<std::uint32_t, Cell>> cells;  // by column, ascending
};

class Sheet {
 public:
  Sheet(std::string name, std::string part, Strings* strings)
      : name_(std::move(name)), part_(std::move(part)), strings_(strings) {}

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  const std::string& part() const { return part_; }               // "xl/worksheets/sheet1.xml"
  bool is_worksheet() const { return static_cast<bool>(root_); }  // not a chart sheet

  const Cell* Find(Address at) const;
  Cell& At(Address at);  // made when it is not there
  void Erase(Address at);
  const std::map<std::uint32_t, Row>& rows() const { return rows_; }
  std::map<std::uint32_t, Row>& rows() { return rows_; }

  const std::string& Text(const Cell& cell) const { return strings_->Plain(cell.text); }
  const std::string& Formula(const Cell& cell) const { return strings_->Plain(cell.formula); }

  // The value replaces value and formula; the style stays.
  void SetBlank(Address at);
  void SetNumber(Address at, double number);
  void SetText(Address at, std::string_view text);
  void SetBoolean(Address at, bool value);
  void SetError(Address at, std::string_view code);
  void SetFormula(Address at,
                  std::string_view formula);  // without "="; computed by Workbook::Recalculate

  // What openpyxl calls dimensions: from the first to the last cell that is there, blank or not,
  // merged ranges included. A1:A1 without any.
  Range Used() const;

  const std::vector<Range>& merged() const { return merged_; }
  std::vector<Range>& merged() { return merged_; }
  // Whether a cell is covered by a merged range and not its first cell.
  bool Covered(Address at) const;

  // The <worksheet> element. Element() gives its child of that name, made at the place the schema
  // wants when there is none.
  pugi::xml_node root() const { return root_; }
  void set_root(pugi::xml_node root) { root_ = root; }
  pugi::xml_node Element(std::string_view name);
  Strings& strings() { return *strings_; }

  // <f> attributes of array formulas and data tables (t, ref, …), by cell.
  std::map<std::pair<std::uint32_t, std::uint32_t>, XmlAttributes>& formula_attributes() {
    return formula_attributes_;
  }
  const std::map<std::pair<std::uint32_t, std::uint32_t>, XmlAttributes>& formula_attributes()
      const {
    return formula_attributes_;
  }

 private:
  std::string name_, part_;
  Strings* strings_;
  pugi::xml_node root_;
  std::map<std::uint32_t, Row> rows_;
  std::vector<Range> merged_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, XmlAttributes> formula_attributes_;
};

}  // namespace viv::tools::excel
