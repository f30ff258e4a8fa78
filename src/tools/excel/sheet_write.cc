#include <charconv>
#include <cmath>

#include "tools/excel/sheet_xml.h"
#include "tools/ooxml/package.h"

namespace viv::tools::excel {
namespace {

constexpr double kExactIntegers = 1e15;  // below it every integer is written as one

// An integer too long to be exact is written with an exponent, so that readers take it for the
// rounded number it is.
std::chars_format WithoutLongDigits(double number) {
  return std::abs(number) >= kExactIntegers ? std::chars_format::scientific
                                            : std::chars_format::general;
}

void AppendStringItem(std::string& out, const std::string& plain, const std::string& rich) {
  out += "<si>";
  if (rich.empty()) {
    out += "<t xml:space=\"preserve\">";
    ooxml::AppendEscaped(out, plain);
    out += "</t>";
  } else {
    out += rich;
  }
  out += "</si>";
}

void AppendAttributes(std::string& out, const XmlAttributes& attributes) {
  for (const auto& [name, value] : attributes) {
    out += ' ';
    out += name;
    out += "=\"";
    ooxml::AppendEscaped(out, value);
    out += '"';
  }
}

void AppendFormula(std::string& out, const Sheet& sheet, Address at, const Cell& cell) {
  const auto kept = sheet.formula_attributes().find({at.row, at.column});
  if (cell.formula == 0 && kept == sheet.formula_attributes().end()) return;
  out += "<f";
  if (kept != sheet.formula_attributes().end()) AppendAttributes(out, kept->second);
  out += '>';
  ooxml::AppendEscaped(out, sheet.Formula(cell));
  out += "</f>";
}

void AppendValue(std::string& out,
                 const Sheet& sheet,
                 const Cell& cell,
                 std::uint32_t shared_number) {
  if (cell.kind == CellKind::kBlank) return;
  out += "<v>";
  if (cell.kind == CellKind::kNumber) {
    out += WriteNumber(cell.number);
    if (cell.decimal && out.find_first_of(".e", out.rfind('>')) == std::string::npos) out += ".0";
  } else if (cell.kind == CellKind::kBoolean) {
    out += cell.number != 0 ? '1' : '0';
  } else if (cell.kind == CellKind::kText && cell.formula == 0) {
    out += std::to_string(shared_number);
  } else {
    ooxml::AppendEscaped(out, sheet.Text(cell));
  }
  out += "</v>";
}

std::string_view TypeAttribute(const Cell& cell) {
  switch (cell.kind) {
    case CellKind::kText:
      return cell.formula == 0 ? " t=\"s\"" : " t=\"str\"";
    case CellKind::kBoolean:
      return " t=\"b\"";
    case CellKind::kError:
      return " t=\"e\"";
    case CellKind::kIsoDate:
      return " t=\"d\"";
    default:
      return "";
  }
}

void AppendCell(
    std::string& out, const Sheet& sheet, Address at, const Cell& cell, SharedStrings& shared) {
  out += "<c r=\"";
  out += ToText(at);
  out += '"';
  if (cell.style != 0) out += " s=\"" + std::to_string(cell.style) + "\"";
  out += TypeAttribute(cell);
  const bool is_shared = cell.kind == CellKind::kText && cell.formula == 0;
  const std::uint32_t number = is_shared ? shared.Number(cell.text) : 0;
  out += '>';
  AppendFormula(out, sheet, at, cell);
  AppendValue(out, sheet, cell, number);
  out += "</c>";
}

}  // namespace

std::string WriteNumber(double number) {
  char text[64];
  const bool is_integer = std::abs(number) < kExactIntegers && number == std::floor(number);
  const auto end =
      is_integer ? std::to_chars(text, text + sizeof(text), static_cast<std::int64_t>(number)).ptr
                 : std::to_chars(text, text + sizeof(text), number, WithoutLongDigits(number)).ptr;
  return {text, end};
}

std::uint32_t SharedStrings::Number(std::uint32_t index) {
  ++references_;
  const auto [found, is_new] = numbers_.emplace(index, static_cast<std::uint32_t>(used_.size()));
  if (is_new) used_.push_back(index);
  return found->second;
}

std::string SharedStrings::Part() const {
  std::string out(ooxml::kXmlDeclaration);
  out += "<sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" count=\"";
  out += std::to_string(references_) + "\" uniqueCount=\"" + std::to_string(used_.size()) + "\">";
  for (const std::uint32_t index : used_)
    AppendStringItem(out, strings_.Plain(index), strings_.RichXml(index));
  out += "</sst>";
  return out;
}

std::string WriteCells(const Sheet& sheet, SharedStrings& shared) {
  std::string out;
  for (const auto& [number, row] : sheet.rows()) {
    std::string cells;
    for (const auto& [column, cell] : row.cells) {
      const Address at{number, column};
      const bool keeps_formula =
          cell.formula != 0 || sheet.formula_attributes().count({number, column}) > 0;
      if (cell.kind == CellKind::kBlank && cell.style == 0 && !keeps_formula) continue;
      AppendCell(cells, sheet, at, cell, shared);
    }
    if (cells.empty() && row.attributes.empty()) continue;
    out += "<row r=\"" + std::to_string(number) + "\"";
    AppendAttributes(out, row.attributes);
    out += '>';
    out += cells;
    out += "</row>";
  }
  return out;
}

void WriteSheetElements(Sheet& sheet) {
  sheet.root().remove_child("mergeCells");
  if (!sheet.merged().empty()) {
    pugi::xml_node merges = sheet.Element("mergeCells");
    merges.append_attribute("count").set_value(static_cast<unsigned>(sheet.merged().size()));
    for (const Range& range : sheet.merged())
      merges.append_child("mergeCell").append_attribute("ref").set_value(ToText(range).c_str());
  }
  pugi::xml_node dimension = sheet.Element("dimension");
  dimension.remove_attributes();
  dimension.append_attribute("ref").set_value(ToShortText(sheet.Used()).c_str());
}

}  // namespace viv::tools::excel
