#include "tools/excel/workbook.h"

#include <gmock/gmock.h>

#include "tools/excel/blank_workbook.h"
#include "tools/excel/cell_value.h"
#include "tools/excel/shift.h"
#include "tools/excel/table.h"

namespace viv::tools::excel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kMain =
    "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";

std::unique_ptr<Workbook> Fresh() {
  auto workbook = Workbook::Create("Data");
  EXPECT_TRUE(workbook) << workbook.error().message;
  return *std::move(workbook);
}

std::unique_ptr<Workbook> WrittenAndRead(Workbook& workbook) {
  auto bytes = workbook.Write();
  EXPECT_TRUE(bytes) << bytes.error().message;
  auto read = Workbook::Read(*bytes);
  EXPECT_TRUE(read) << read.error().message;
  return *std::move(read);
}

// A workbook whose only sheet has this XML inside <worksheet>.
Result<std::unique_ptr<Workbook>> WorkbookOf(std::string_view sheet_xml,
                                             std::string_view strings_xml = {}) {
  auto fresh = Fresh();
  ooxml::Package& package = fresh->package();
  package.Put("xl/worksheets/sheet1.xml",
              "<worksheet " + std::string(kMain) + ">" + std::string(sheet_xml) + "</worksheet>",
              kSheetType);
  if (!strings_xml.empty()) {
    package.Put("xl/sharedStrings.xml",
                "<sst " + std::string(kMain) + ">" + std::string(strings_xml) + "</sst>",
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml");
    package.Relate("xl/workbook.xml", "sharedStrings", "xl/sharedStrings.xml");
  }
  auto bytes = package.Write();
  if (!bytes) return PassUp(bytes.error());
  return Workbook::Read(*bytes);
}

std::string ValueAt(Workbook& workbook, std::string_view sheet, std::string_view at) {
  return PythonRepr(CellValue(workbook, *workbook.Find(sheet), *ParseAddress(at)));
}

TEST(WorkbookTest, KeepsEveryKindOfValue) {
  auto workbook = Fresh();
  Sheet& sheet = *workbook->Find("Data");
  sheet.SetNumber({1, 1}, 42);
  sheet.SetNumber({1, 2}, 0.1);
  sheet.SetNumber({1, 3}, 1e300);
  sheet.SetText({2, 1}, "  <ünïcode> & \"more\"\nlines ");
  sheet.SetBoolean({2, 2}, true);
  sheet.SetError({2, 3}, "#N/A");
  sheet.SetFormula({3, 1}, "A1*2");
  auto read = WrittenAndRead(*workbook);
  EXPECT_EQ(ValueAt(*read, "Data", "A1"), "42");
  EXPECT_EQ(ValueAt(*read, "Data", "B1"), "0.1");
  EXPECT_EQ(ValueAt(*read, "Data", "C1"), "1e+300");
  EXPECT_EQ(CellValue(*read, *read->Find("Data"), {2, 1}),
            json::value("  <ünïcode> & \"more\"\nlines "));
  EXPECT_EQ(ValueAt(*read, "Data", "B2"), "True");
  EXPECT_EQ(ValueAt(*read, "Data", "C2"), "'#N/A'");
  EXPECT_EQ(ValueAt(*read, "Data", "A3"), "'=A1*2'");
}

TEST(WorkbookTest, StoresResultsOfFormulas) {
  auto workbook = Fresh();
  Sheet& sheet = *workbook->Find("Data");
  sheet.SetNumber({1, 1}, 40);
  sheet.SetFormula({1, 2}, "A1+2");
  sheet.SetFormula({1, 3}, "\"n=\"&B1");
  auto read = WrittenAndRead(*workbook);
  const Sheet& again = *read->Find("Data");
  EXPECT_EQ(again.Find({1, 2})->number, 42);
  EXPECT_EQ(again.Text(*again.Find({1, 3})), "n=42");
}

TEST(WorkbookTest, KeepsWhatItDoesNotKnow) {
  auto workbook = WorkbookOf(
      "<sheetPr><tabColor rgb=\"FF00FF00\"/></sheetPr><cols><col min=\"1\" max=\"1\" width=\"33\" "
      "customWidth=\"1\"/>"
      "</cols><sheetData><row r=\"2\" ht=\"40\" customHeight=\"1\"><c "
      "r=\"B2\"><v>5.0</v></c></row></sheetData>"
      "<pageSetup orientation=\"landscape\"/><extLst><ext uri=\"{x}\"/></extLst>");
  ASSERT_TRUE(workbook) << workbook.error().message;
  (*workbook)->package().Put("custom/thing.bin", "bytes", "application/x-thing");
  (*workbook)->Find("Data")->SetNumber({1, 1}, 1);
  auto read = WrittenAndRead(**workbook);
  const std::string xml = *read->package().Bytes("xl/worksheets/sheet1.xml");
  EXPECT_THAT(xml, HasSubstr("<tabColor rgb=\"FF00FF00\"/>"));
  EXPECT_THAT(xml, HasSubstr("width=\"33\""));
  EXPECT_THAT(xml, HasSubstr("<pageSetup orientation=\"landscape\"/><extLst>"));
  EXPECT_EQ(read->Find("Data")->rows().at(2).attributes.size(), 2u);
  EXPECT_EQ(ValueAt(*read, "Data", "B2"), "5.0");
  EXPECT_EQ(*read->package().Bytes("custom/thing.bin"), "bytes");
}

TEST(WorkbookTest, KeepsRichTextAndReadsItPlain) {
  auto workbook = WorkbookOf(
      "<sheetData><row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c></row></sheetData>",
      "<si><r><rPr><b/></rPr><t>bold</t></r><r><t xml:space=\"preserve\"> plain</t></r></si>");
  ASSERT_TRUE(workbook) << workbook.error().message;
  auto read = WrittenAndRead(**workbook);
  EXPECT_EQ(ValueAt(*read, "Data", "A1"), "'bold plain'");
  auto bytes = read->Write();
  ASSERT_TRUE(bytes);
  EXPECT_THAT(*read->package().Bytes("xl/sharedStrings.xml"),
              HasSubstr("<r><rPr><b/></rPr><t>bold</t></r>"));
}

TEST(WorkbookTest, SpellsOutSharedFormulas) {
  auto workbook = WorkbookOf(
      "<sheetData><row r=\"1\"><c r=\"B1\"><f t=\"shared\" ref=\"B1:B2\" "
      "si=\"0\">A1+$A$1</f><v>1</v></c></row>"
      "<row r=\"2\"><c r=\"B2\"><f t=\"shared\" si=\"0\"/><v>1</v></c></row></sheetData>");
  ASSERT_TRUE(workbook) << workbook.error().message;
  EXPECT_EQ(ValueAt(**workbook, "Data", "B2"), "'=A2+$A$1'");
}

TEST(WorkbookTest, KeepsArrayFormulas) {
  auto workbook = WorkbookOf(
      "<sheetData><row r=\"1\"><c r=\"A1\"><f t=\"array\" "
      "ref=\"A1:A2\">SUM(B1:B2*2)</f><v>0</v></c></row></sheetData>");
  ASSERT_TRUE(workbook) << workbook.error().message;
  auto read = WrittenAndRead(**workbook);
  EXPECT_EQ(read->Find("Data")->formula_attributes().count({1, 1}), 1u);
  EXPECT_EQ(ValueAt(*read, "Data", "A1"), "'=SUM(B1:B2*2)'");
}

TEST(WorkbookTest, RefusesBrokenSheets) {
  EXPECT_FALSE(
      WorkbookOf("<sheetData><row r=\"1\"><c r=\"A1\" t=\"s\"><v>7</v></c></row></sheetData>"));
  EXPECT_FALSE(WorkbookOf("<sheetData><row r=\"1\"><c r=\"A1\"><v>abc</v></c></row></sheetData>"));
  EXPECT_FALSE(WorkbookOf("<sheetData><row r=\"1048577\"/></sheetData>"));
  EXPECT_FALSE(WorkbookOf("<sheetData><row r=\"1\"><c r=\"XFE1\"/></row></sheetData>"));
  EXPECT_FALSE(WorkbookOf("<sheetData><row r=\"1\"><c r=\"A0\"/></row></sheetData>"));
}

TEST(WorkbookTest, ReadsDatesByTheirFormat) {
  auto workbook = Fresh();
  Sheet& sheet = *workbook->Find("Data");
  StyleChange change;
  change.number_format = "yyyy-mm-dd";
  sheet.SetNumber({1, 1}, 45296);
  sheet.At({1, 1}).style = workbook->styles().Change(0, change);
  change.number_format = "[h]:mm:ss";
  sheet.SetNumber({1, 2}, 1.5);
  sheet.At({1, 2}).style = workbook->styles().Change(0, change);
  EXPECT_EQ(ValueAt(*workbook, "Data", "A1"), "'2024-01-05 00:00:00'");
  EXPECT_EQ(ValueAt(*workbook, "Data", "B1"), "'1 day, 12:00:00'");
  EXPECT_EQ(DateText(0.5, false), "12:00:00");
  EXPECT_EQ(DateText(1, false), "1900-01-01 00:00:00");
  EXPECT_EQ(DateText(1.25, true), "1904-01-02 06:00:00");
  EXPECT_EQ(DateText(45296.123456, false), "2024-01-05 02:57:46.598000");
  EXPECT_EQ(DateText(1e12, false), "#VALUE!");
}

TEST(WorkbookTest, AddsRemovesAndRenamesSheets) {
  auto workbook = Fresh();
  ASSERT_TRUE(workbook->AddSheet("My Sheet"));
  workbook->Find("My Sheet")->SetFormula({1, 1}, "Data!B1");
  ASSERT_TRUE(workbook->RenameSheet("Data", "New Data"));
  EXPECT_EQ(ValueAt(*workbook, "My Sheet", "A1"), "\"='New Data'!B1\"");
  EXPECT_EQ((*workbook->AddSheet("MY SHEET"))->name(), "MY SHEET1");
  EXPECT_FALSE(workbook->AddSheet("a/b"));
  ASSERT_TRUE(workbook->RemoveSheet("My Sheet"));
  auto read = WrittenAndRead(*workbook);
  EXPECT_THAT(read->SheetNames(), ElementsAre("New Data", "MY SHEET1"));
  EXPECT_FALSE(read->package().Has("xl/worksheets/sheet2.xml"));
}

TEST(WorkbookTest, CopiesASheetWithItsCells) {
  auto workbook = Fresh();
  Sheet& sheet = *workbook->Find("Data");
  sheet.SetText({1, 1}, "x");
  sheet.merged().push_back(*ParseRange("B1:C2"));
  ASSERT_TRUE(AddTable(*workbook, sheet, {.name = "T", .range = "A1:A2"}));
  ASSERT_TRUE(workbook->CopySheet(sheet, "Copy"));
  auto read = WrittenAndRead(*workbook);
  EXPECT_EQ(ValueAt(*read, "Copy", "A1"), "'x'");
  EXPECT_EQ(read->Find("Copy")->merged().size(), 1u);
  EXPECT_EQ(ReadTables(*read).size(), 1u);
}

TEST(WorkbookTest, ShiftsAllThatNamesCells) {
  auto workbook = Fresh();
  Sheet& sheet = *workbook->Find("Data");
  sheet.SetNumber({1, 1}, 1);
  sheet.SetNumber({2, 1}, 2);
  sheet.SetFormula({3, 1}, "SUM(A1:A2)");
  sheet.merged().push_back(*ParseRange("B2:C3"));
  ASSERT_TRUE(ShiftCells(*workbook, sheet, {.at = 2, .count = 2}));
  EXPECT_EQ(ValueAt(*workbook, "Data", "A5"), "'=SUM(A1:A4)'");
  EXPECT_EQ(ToText(sheet.merged()[0]), "B4:C5");
  ASSERT_TRUE(
      ShiftCells(*workbook, sheet, {.change = formula::Change::kDelete, .at = 1, .count = 4}));
  EXPECT_EQ(ToText(sheet.merged()[0]), "B1:C1");
  EXPECT_FALSE(ShiftCells(*workbook, sheet, {.at = 1, .count = kRowsMax}));
}

TEST(WorkbookTest, ShiftedRangesShrinkGrowAndVanish) {
  const auto shifted = [](const char* range, const Shift& shift) {
    const auto moved = ShiftedRange(*ParseRange(range), shift);
    return moved ? ToText(*moved) : std::string("gone");
  };
  const Shift deletes{.change = formula::Change::kDelete, .at = 3, .count = 2};
  EXPECT_EQ(shifted("A1:A2", deletes), "A1:A2");
  EXPECT_EQ(shifted("A1:A3", deletes), "A1:A2");
  EXPECT_EQ(shifted("A3:A4", deletes), "gone");
  EXPECT_EQ(shifted("A4:A9", deletes), "A3:A7");
  EXPECT_EQ(shifted("A5:A6", deletes), "A3:A4");
  const Shift inserts{.axis = formula::Axis::kColumns, .at = 2, .count = 1};
  EXPECT_EQ(shifted("A1:B2", inserts), "A1:C2");
  EXPECT_EQ(shifted("B1:XFD2", inserts), "C1:XFD2");
}

TEST(WorkbookTest, NamesTablesOnce) {
  auto workbook = Fresh();
  Sheet& sheet = *workbook->Find("Data");
  ASSERT_TRUE(AddTable(*workbook, sheet, {.name = "T", .range = "A1:B3"}));
  EXPECT_EQ(AddTable(*workbook, sheet, {.name = "t", .range = "D1:E3"}).error().code,
            ErrorCode::kConflict);
  EXPECT_FALSE(AddTable(*workbook, sheet, {.name = "a b", .range = "D1:E3"}));
  EXPECT_FALSE(AddTable(*workbook, sheet, {.name = "X", .range = "nonsense"}));
}

TEST(WorkbookTest, GivesTheSameStyleForTheSameChange) {
  auto workbook = Fresh();
  StyleChange change;
  change.font = "<font><b/></font>";
  change.alignment = "<alignment horizontal=\"center\"/>";
  const std::uint32_t style = workbook->styles().Change(0, change);
  EXPECT_EQ(workbook->styles().Change(0, change), style);
  EXPECT_EQ(workbook->styles().Change(style, change), style);
  change.number_format = "0.000";
  const std::uint32_t other = workbook->styles().Change(style, change);
  EXPECT_NE(other, style);
  EXPECT_EQ(workbook->styles().NumberFormat(other), "0.000");
}

}  // namespace
}  // namespace viv::tools::excel
