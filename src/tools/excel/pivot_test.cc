#include "tools/excel/pivot.h"

#include <gmock/gmock.h>

#include "tools/excel/cell_value.h"
#include "tools/excel/table.h"

namespace viv::tools::excel {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Workbook> SalesWorkbook() {
  auto workbook = *Workbook::Create("Data");
  Sheet& sheet = *workbook->Find("Data");
  const char* const headers[] = {"Region", "Year", "Sales"};
  for (std::uint32_t i = 0; i < 3; ++i) sheet.SetText({1, i + 1}, headers[i]);
  const char* const regions[] = {"S", "N", "N", "S"};
  for (std::uint32_t i = 0; i < 4; ++i) {
    sheet.SetText({i + 2, 1}, regions[i]);
    sheet.SetNumber({i + 2, 2}, i % 2 == 0 ? 2023 : 2024);
    sheet.SetNumber({i + 2, 3}, 10 * (i + 1));
  }
  sheet.SetFormula({5, 3}, "C2*5");  // 50
  return workbook;
}

// The cells of the pivot's sheet as text, row by row.
std::string Shown(Workbook& workbook, std::string_view name = "Data_pivot") {
  const Sheet* sheet = workbook.Find(name);
  if (sheet == nullptr) return "no such sheet";
  std::string out;
  const Range used = sheet->Used();
  for (std::uint32_t row = 1; row <= used.last.row; ++row) {
    for (std::uint32_t column = 1; column <= used.last.column; ++column)
      out += PythonText(CellValue(workbook, *sheet, {row, column})) + " ";
    out += "| ";
  }
  return out;
}

std::string Refusal(Workbook& workbook, const PivotRequest& request) {
  Status status = AddPivot(workbook, *workbook.Find("Data"), request);
  return status ? "" : status.error().message;
}

PivotRequest Asked(std::vector<std::string> rows,
                   std::vector<std::string> values,
                   std::string function = "sum") {
  return {.data_range = "A1:C5",
          .rows = std::move(rows),
          .values = std::move(values),
          .columns = {},
          .function = std::move(function)};
}

TEST(PivotTest, SumsUpByTheRowFieldsFormulasIncluded) {
  auto workbook = SalesWorkbook();
  EXPECT_EQ(Refusal(*workbook, Asked({"Region"}, {"Sales"})), "");
  EXPECT_EQ(Shown(*workbook), "Region Sales (sum) | N 50 | S 60 | ");
  ASSERT_EQ(ReadTables(*workbook).size(), 1U);
  EXPECT_EQ(ToText(ReadTables(*workbook)[0].range), "A1:B3");
}

TEST(PivotTest, EveryFunctionCounts) {
  auto workbook = SalesWorkbook();
  const std::pair<const char*, const char*> rows[] = {{"average", "N 25 | S 30"},
                                                      {"count", "N 2 | S 2"},
                                                      {"min", "N 20 | S 10"},
                                                      {"MAX", "N 30 | S 50"}};
  for (const auto& [function, expected] : rows) {
    EXPECT_EQ(Refusal(*workbook, Asked({"Region"}, {"Sales"}, function)), "");
    EXPECT_THAT(Shown(*workbook), HasSubstr(expected)) << function;
  }
}

TEST(PivotTest, NumbersGroupAsWellAndEmptyCombinationsAreZero) {
  auto workbook = SalesWorkbook();
  workbook->Find("Data")->SetNumber({3, 2}, 2023);  // now N has no 2024
  EXPECT_EQ(Refusal(*workbook, Asked({"region", "Year (sum)"}, {"SALES"})), "");
  EXPECT_EQ(Shown(*workbook),
            "region Year SALES (sum) | N 2023 50 | N 2024 0 | S 2023 10 | S 2024 50 | ");
}

TEST(PivotTest, ASecondOneTakesThePlaceOfTheFirst) {
  auto workbook = SalesWorkbook();
  EXPECT_EQ(Refusal(*workbook, Asked({"Region"}, {"Sales"})), "");
  EXPECT_EQ(Refusal(*workbook, Asked({}, {"Sales"})), "");
  EXPECT_EQ(Shown(*workbook), "Sales (sum) | 110 | ");
  EXPECT_EQ(workbook->sheets().size(), 2U);
}

TEST(PivotTest, RefusesInTheWordsClientsKnow) {
  auto workbook = SalesWorkbook();
  PivotRequest request = Asked({"Region"}, {"Sales"}, "mean");
  EXPECT_EQ(Refusal(*workbook, request),
            "Invalid aggregation function. Must be one of: sum, average, count, min, max");
  EXPECT_EQ(Refusal(*workbook, Asked({"No"}, {"Sales"})),
            "Invalid row field 'No'. Available fields: Region, Sales, Year");
  EXPECT_EQ(Refusal(*workbook, Asked({"Region"}, {"No"})),
            "Invalid value field 'No'. Available fields: Region, Sales, Year");
  request = Asked({"Region"}, {"Sales"});
  request.columns = {"No"};
  EXPECT_THAT(Refusal(*workbook, request), HasSubstr("Invalid column field 'No'"));
  EXPECT_EQ(Refusal(*workbook, Asked({}, {})),
            "Failed to create pivot table formatting: Invalid column index 0");
  const std::pair<const char*, const char*> ranges[] = {
      {"A1", "Data range must be in format 'A1:B2'"},
      {"A1:B2:C3", "Invalid data range format: too many values to unpack (expected 2)"},
      {"x:y", "Invalid data range format: Invalid cell reference: x"},
      {"A1:C1", "Source data must have a header row and at least one data row."},
      {"C5:A1", "Source data must have a header row and at least one data row."},
      {"A90:C99", "Source data must have a header row and at least one data row."},
      {"A0:C5", "Row or column values must be at least 1"}};
  for (const auto& [range, expected] : ranges) {
    request = Asked({"Region"}, {"Sales"});
    request.data_range = range;
    EXPECT_THAT(Refusal(*workbook, request), HasSubstr(expected)) << range;
  }
}

TEST(PivotTest, TooManyCombinationsAreRefused) {
  auto workbook = SalesWorkbook();
  Sheet& sheet = *workbook->Find("Data");
  for (std::uint32_t row = 2; row <= 402; ++row)
    for (std::uint32_t column = 1; column <= 3; ++column) sheet.SetNumber({row, column}, row);
  PivotRequest request = Asked({"Region", "Year"}, {"Sales"});
  request.data_range = "A1:C402";
  EXPECT_THAT(Refusal(*workbook, request), HasSubstr("more than 100000 combinations"));
  EXPECT_EQ(workbook->Find("Data_pivot"), nullptr);
}

}  // namespace
}  // namespace viv::tools::excel
