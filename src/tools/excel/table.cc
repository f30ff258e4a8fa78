#include "tools/excel/table.h"

#include <algorithm>

#include "base/text.h"
#include "tools/excel/cell_value.h"

namespace viv::tools::excel {
namespace {

constexpr std::string_view kTableType =
    "application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml";

bool NameIsTaken(Workbook& workbook, const std::vector<TableInfo>& tables, std::string_view name) {
  for (const TableInfo& table : tables)
    if (EqualsIgnoreCase(table.name, name)) return true;
  for (const auto& [defined, text] : workbook.DefinedNames())
    if (EqualsIgnoreCase(defined, name)) return true;
  return false;
}

unsigned NextTableId(Workbook& workbook, const std::vector<TableInfo>& tables) {
  unsigned next = 1;
  for (const TableInfo& table : tables)
    if (auto document = workbook.package().Xml(table.part))
      next = std::max(next, (*document)->document_element().attribute("id").as_uint() + 1);
  return next;
}

void AppendAttribute(std::string& out, std::string_view name, std::string_view value) {
  out += ' ';
  out += name;
  out += "=\"";
  ooxml::AppendEscaped(out, value);
  out += '"';
}

// A line break in a column's name is escaped in the way of the standard.
std::string ColumnTitle(Workbook& workbook, const Sheet& sheet, Address at) {
  std::string title;
  for (const char c : PythonText(CellValue(workbook, sheet, at)))
    if (c == '\n') {
      title += "_x000a_";
    } else {
      title += c;
    }
  return title;
}

std::string TableXml(Workbook& workbook,
                     const Sheet& sheet,
                     const TableRequest& request,
                     const Range& range,
                     unsigned id) {
  std::string xml(ooxml::kXmlDeclaration);
  xml += "<table xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";
  AppendAttribute(xml, "id", std::to_string(id));
  AppendAttribute(xml, "name", request.name);
  AppendAttribute(xml, "displayName", request.name);
  AppendAttribute(xml, "ref", ToText(range));
  xml += " headerRowCount=\"1\" totalsRowShown=\"0\"><autoFilter";
  AppendAttribute(xml, "ref", ToText(range));
  const std::uint32_t count = range.last.column - range.first.column + 1;
  xml += "/><tableColumns count=\"" + std::to_string(count) + "\">";
  for (std::uint32_t i = 0; i < count; ++i) {
    xml += "<tableColumn id=\"" + std::to_string(i + 1) + "\"";
    AppendAttribute(xml, "name",
                    ColumnTitle(workbook, sheet, {range.first.row, range.first.column + i}));
    xml += "/>";
  }
  xml += "</tableColumns><tableStyleInfo";
  AppendAttribute(xml, "name", request.style);
  xml += " showFirstColumn=\"0\" showLastColumn=\"0\"";
  AppendAttribute(xml, "showRowStripes", request.row_stripes ? "1" : "0");
  AppendAttribute(xml, "showColumnStripes", request.column_stripes ? "1" : "0");
  xml += "/></table>";
  return xml;
}

}  // namespace

std::vector<TableInfo> ReadTables(Workbook& workbook) {
  std::vector<TableInfo> tables;
  int number = 0;
  for (const auto& sheet : workbook.sheets()) {
    const int index = number++;
    for (const ooxml::Relation& relation : workbook.package().Relations(sheet->part())) {
      if (!relation.Is("table") || relation.external) continue;
      auto document = workbook.package().Xml(relation.target);
      if (!document) continue;
      const pugi::xml_node root = (*document)->document_element();
      const auto range = ParseRange(root.attribute("ref").value());
      if (!range) continue;
      TableInfo info{.name = root.attribute("displayName").value(),
                     .part = relation.target,
                     .sheet = index,
                     .range = *range,
                     .has_header = root.attribute("headerRowCount").as_uint(1) > 0,
                     .has_totals = root.attribute("totalsRowCount").as_uint(0) > 0,
                     .columns = {}};
      for (const pugi::xml_node column : root.child("tableColumns").children("tableColumn"))
        info.columns.emplace_back(column.attribute("name").value());
      tables.push_back(std::move(info));
    }
  }
  return tables;
}

Status AddTable(Workbook& workbook, Sheet& sheet, const TableRequest& request) {
  if (request.name.find(' ') != std::string::npos)
    return Fail(ErrorCode::kInvalidArgument, "Table names cannot have spaces");
  const auto range = ParseRange(request.range);
  if (!range)
    return Fail(ErrorCode::kInvalidArgument,
                "'" + Printable(request.range) + "' is no range of cells, such as A1:D5");
  const std::vector<TableInfo> tables = ReadTables(workbook);
  if (NameIsTaken(workbook, tables, request.name))
    return Fail(ErrorCode::kConflict, "Table with name " + request.name + " already exists");
  const std::string part = workbook.package().FreeName("xl/tables/table", ".xml");
  workbook.package().Put(
      part, TableXml(workbook, sheet, request, *range, NextTableId(workbook, tables)), kTableType);
  pugi::xml_node list = sheet.Element("tableParts");
  ooxml::SetRelationId(list.append_child("tablePart"),
                       workbook.package().Relate(sheet.part(), "table", part));
  if (!list.attribute("count")) list.append_attribute("count");
  list.attribute("count").set_value(
      static_cast<unsigned>(std::distance(list.children().begin(), list.children().end())));
  return {};
}

}  // namespace viv::tools::excel
