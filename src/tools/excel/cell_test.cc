#include "tools/excel/cell.h"

#include <gtest/gtest.h>

#include "tools/excel/number_format.h"
#include "tools/excel/python_text.h"
#include "tools/excel/sheet_xml.h"
#include "tools/excel/tool_call.h"

namespace viv::tools::excel {
namespace {

TEST(CellTest, NamesColumns) {
  EXPECT_EQ(ColumnName(1), "A");
  EXPECT_EQ(ColumnName(26), "Z");
  EXPECT_EQ(ColumnName(27), "AA");
  EXPECT_EQ(ColumnName(kColumnsMax), "XFD");
  EXPECT_EQ(ColumnNumber("xfd"), kColumnsMax);
  EXPECT_FALSE(ColumnNumber("XFE"));
  EXPECT_FALSE(ColumnNumber(""));
  EXPECT_FALSE(ColumnNumber("A1"));
}

TEST(CellTest, ReadsAddressesWithinASheet) {
  EXPECT_EQ(ParseAddress("$b$7"), (Address{7, 2}));
  EXPECT_EQ(ParseAddress("XFD1048576"), (Address{kRowsMax, kColumnsMax}));
  for (const char* bad :
       {"", "A", "7", "A0", "A1048577", "XFE1", "A1B", "A-1", "A 1", "A99999999999"})
    EXPECT_FALSE(ParseAddress(bad)) << bad;
}

TEST(CellTest, ReadsRangesFromAnyCorners) {
  EXPECT_EQ(ToText(*ParseRange("C3:A1")), "A1:C3");
  EXPECT_EQ(ToShortText(*ParseRange("B2")), "B2");
  EXPECT_FALSE(ParseRange("A1:"));
  EXPECT_FALSE(ParseRange("A1:B2:C3"));
}

TEST(CellTest, TakesCornersAsTheOriginalDoes) {
  EXPECT_EQ(ParseCorner("b7:C9")->row, 7u);
  EXPECT_EQ(ParseCorner("$A$1").error().message, "Invalid cell reference: $A$1");
  EXPECT_EQ(ParseCorner("ABCD1").error().message,
            "'ABCD' is not a valid column name. Column names are from A to ZZZ");
  EXPECT_FALSE(CheckInSheet(*ParseCorner("A0")));
  EXPECT_FALSE(CheckInSheet(*ParseCorner("A99999999999999999999")));
  EXPECT_FALSE(CheckInSheet(*ParseCorner("ZZZ1")));
  EXPECT_TRUE(LooksLikeCell("aB12"));
  for (const char* bad : {"", "A", "1", "A1A", "A1:B2", "$A$1"})
    EXPECT_FALSE(LooksLikeCell(bad)) << bad;
}

TEST(CellTest, LimitsTheCellsOfACall) {
  EXPECT_TRUE(CheckSize(*ParseRange("A1:J100000"), "read"));
  EXPECT_FALSE(CheckSize(*ParseRange("A1:XFD1048576"), "read"));
}

TEST(CellTest, WritesNumbersThatReadBackTheSame) {
  EXPECT_EQ(WriteNumber(100000), "100000");
  EXPECT_EQ(WriteNumber(-0.1), "-0.1");
  EXPECT_EQ(WriteNumber(1e20), "1e+20");
  EXPECT_EQ(WriteNumber(0.1 + 0.2), "0.30000000000000004");
}

TEST(CellTest, TellsDatesFromNumbers) {
  for (const char* date : {"yyyy-mm-dd", "m/d/yy h:mm", "[$-409]d-mmm", "mm:ss", "[h]:mm:ss"})
    EXPECT_TRUE(IsDateFormat(date)) << date;
  for (const char* number :
       {"General", "0.00", "\"days\" 0", "[Red]0", "0_d", "0;dd", "#,##0\\d", "@"})
    EXPECT_FALSE(IsDateFormat(number)) << number;
  EXPECT_TRUE(IsDurationFormat("[hh]:mm"));
  EXPECT_FALSE(IsDurationFormat("hh:mm"));
}

TEST(CellTest, WritesJsonAsPythonDoes) {
  const json::value value = {
      {"a", json::array{1, 1.0, "ü\n\U0001F600"}}, {"b", json::array{}}, {"c", nullptr}};
  EXPECT_EQ(PythonJson(value),
            "{\n  \"a\": [\n    1,\n    1.0,\n    \"\\u00fc\\n\\ud83d\\ude00\"\n  ],\n  \"b\": "
            "[],\n  \"c\": null\n}");
}

}  // namespace
}  // namespace viv::tools::excel
