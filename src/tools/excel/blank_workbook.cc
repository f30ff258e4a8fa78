#include "tools/excel/blank_workbook.h"

namespace viv::tools::excel {
namespace {

constexpr std::string_view kWorkbookXml =
    "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\""
    " xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">"
    "<workbookPr/><bookViews><workbookView xWindow=\"0\" yWindow=\"0\" windowWidth=\"24000\""
    " windowHeight=\"12000\" activeTab=\"0\"/></bookViews><sheets/></workbook>";

constexpr std::string_view kStylesXml =
    "<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">"
    "<fonts count=\"1\"><font><sz val=\"11\"/><name val=\"Calibri\"/><family "
    "val=\"2\"/></font></fonts>"
    "<fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>"
    "<fill><patternFill patternType=\"gray125\"/></fill></fills>"
    "<borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>"
    "<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" "
    "borderId=\"0\"/></cellStyleXfs>"
    "<cellXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" "
    "xfId=\"0\"/></cellXfs>"
    "<cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles>"
    "<dxfs count=\"0\"/><tableStyles count=\"0\" defaultTableStyle=\"TableStyleMedium9\""
    " defaultPivotStyle=\"PivotStyleLight16\"/></styleSheet>";

constexpr std::string_view kSheetXml =
    "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\""
    " xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">"
    "<dimension ref=\"A1\"/><sheetViews><sheetView workbookViewId=\"0\"/></sheetViews>"
    "<sheetFormatPr baseColWidth=\"8\" defaultRowHeight=\"15\"/><sheetData/>"
    "<pageMargins left=\"0.75\" right=\"0.75\" top=\"1\" bottom=\"1\" header=\"0.5\" "
    "footer=\"0.5\"/></worksheet>";

std::string Declared(std::string_view xml) {
  return std::string(ooxml::kXmlDeclaration) + std::string(xml);
}

}  // namespace

std::string BlankStyles() {
  return Declared(kStylesXml);
}

std::string BlankSheet() {
  return Declared(kSheetXml);
}

ooxml::Package BlankPackage() {
  ooxml::Package package;
  package.Put("xl/workbook.xml", Declared(kWorkbookXml),
              "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml");
  package.Put("xl/styles.xml", BlankStyles(), kStylesType);
  package.Relate("", "officeDocument", "xl/workbook.xml");
  package.Relate("xl/workbook.xml", "styles", "xl/styles.xml");
  return package;
}

}  // namespace viv::tools::excel
