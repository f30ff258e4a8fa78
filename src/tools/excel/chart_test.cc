#include "tools/excel/chart.h"

#include <gmock/gmock.h>

#include "tools/excel/chart_xml.h"

namespace viv::tools::excel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::unique_ptr<Workbook> ChartWorkbook() {
  auto workbook = *Workbook::Create("It's data");
  Sheet& sheet = *workbook->Find("It's data");
  sheet.SetText({1, 1}, "Month");
  sheet.SetText({1, 2}, "A & B");
  sheet.SetText({1, 3}, "C");
  for (std::uint32_t row = 2; row <= 4; ++row) {
    sheet.SetText({row, 1}, "M<" + std::to_string(row));
    sheet.SetNumber({row, 2}, row * 1.5);
    sheet.SetNumber({row, 3}, row);
  }
  return workbook;
}

std::string XmlOf(Workbook& workbook, ChartKind kind) {
  ChartRequest request{
      .kind = kind, .title = "T & <x>", .x_axis = "X", .y_axis = "", .data = {{1, 1}, {4, 3}}};
  return ChartXml(workbook, *workbook.Find("It's data"), request);
}

TEST(ChartXmlTest, EveryKindIsWellFormedAndRefersToItsCells) {
  auto workbook = ChartWorkbook();
  for (ChartKind kind : {ChartKind::kLine, ChartKind::kBar, ChartKind::kPie, ChartKind::kScatter,
                         ChartKind::kArea}) {
    const std::string xml = XmlOf(*workbook, kind);
    pugi::xml_document document;
    EXPECT_TRUE(document.load_buffer(xml.data(), xml.size())) << xml;
    EXPECT_THAT(xml, HasSubstr("<c:f>'It''s data'!$B$2:$B$4</c:f>"));
    EXPECT_THAT(xml, HasSubstr("<c:f>'It''s data'!$A$2:$A$4</c:f>"));
    EXPECT_THAT(xml, HasSubstr("<c:f>'It''s data'!$C$1</c:f>"));
    EXPECT_THAT(xml, HasSubstr("T &amp; &lt;x&gt;"));
    EXPECT_THAT(xml, HasSubstr("<c:v>M&lt;2</c:v>"));
    EXPECT_THAT(xml, HasSubstr("<c:v>4.5</c:v>"));
  }
  EXPECT_THAT(XmlOf(*workbook, ChartKind::kPie), Not(HasSubstr("valAx")));
}

TEST(ChartXmlTest, NumbersAsCategoriesStayNumbers) {
  auto workbook = ChartWorkbook();
  Sheet& sheet = *workbook->Find("It's data");
  for (std::uint32_t row = 2; row <= 4; ++row) sheet.SetNumber({row, 1}, row);
  EXPECT_THAT(XmlOf(*workbook, ChartKind::kScatter),
              HasSubstr("<c:xVal><c:numRef><c:f>'It''s data'!$A$2:$A$4</c:f>"));
}

TEST(ChartXmlTest, OneColumnIsASeriesWithoutCategories) {
  auto workbook = ChartWorkbook();
  ChartRequest request{
      .kind = ChartKind::kBar, .title = "", .x_axis = "", .y_axis = "", .data = {{1, 2}, {4, 2}}};
  const std::string xml = ChartXml(*workbook, *workbook->Find("It's data"), request);
  EXPECT_THAT(xml, Not(HasSubstr("<c:cat>")));
  EXPECT_THAT(xml, HasSubstr("<c:autoTitleDeleted val=\"1\"/>"));
}

TEST(ChartXmlTest, LargeRangesComeWithoutStoredValues) {
  auto workbook = ChartWorkbook();
  ChartRequest request{.kind = ChartKind::kLine,
                       .title = "",
                       .x_axis = "",
                       .y_axis = "",
                       .data = {{1, 1}, {1'048'576, 3}}};
  const std::string xml = ChartXml(*workbook, *workbook->Find("It's data"), request);
  EXPECT_THAT(xml, HasSubstr("$B$2:$B$1048576"));
  EXPECT_LT(xml.size(), 10'000U);
}

TEST(PlaceChartTest, ChartsOfASheetShareADrawingAndSurviveARead) {
  auto workbook = ChartWorkbook();
  Sheet* sheet = workbook->Find("It's data");
  ASSERT_TRUE(PlaceChart(*workbook, *sheet, {2, 5}, XmlOf(*workbook, ChartKind::kBar)));
  auto read = *Workbook::Read(*workbook->Write());
  sheet = read->Find("It's data");
  ASSERT_TRUE(PlaceChart(*read, *sheet, {20, 27}, XmlOf(*read, ChartKind::kLine)));
  ooxml::Package& package = read->package();
  EXPECT_TRUE(package.Has("xl/charts/chart1.xml"));
  EXPECT_TRUE(package.Has("xl/charts/chart2.xml"));
  EXPECT_TRUE(package.Has("xl/drawings/drawing1.xml"));
  EXPECT_FALSE(package.Has("xl/drawings/drawing2.xml"));
  const std::string drawing = *package.Bytes("xl/drawings/drawing1.xml");
  EXPECT_THAT(drawing, HasSubstr("<col>26</col>"));
  EXPECT_THAT(drawing, HasSubstr("name=\"Chart 2\""));
}

TEST(PlaceChartTest, ABrokenDrawingIsAnErrorInWords) {
  auto workbook = ChartWorkbook();
  Sheet* sheet = workbook->Find("It's data");
  ASSERT_TRUE(PlaceChart(*workbook, *sheet, {2, 5}, XmlOf(*workbook, ChartKind::kBar)));
  workbook->package().Put("xl/drawings/drawing1.xml", "<wsDr><broken>");
  Status placed = PlaceChart(*workbook, *sheet, {2, 5}, XmlOf(*workbook, ChartKind::kBar));
  EXPECT_FALSE(placed);
}

}  // namespace
}  // namespace viv::tools::excel
