#include "tools/formula/move.h"

#include <gtest/gtest.h>

namespace viv::formula {
namespace {

SheetChange RowsOf(Change change, int at, int count) {
  return {.sheet = "Data", .axis = Axis::kRows, .change = change, .at = at, .count = count};
}

SheetChange ColumnsOf(Change change, int at, int count) {
  return {.sheet = "Data", .axis = Axis::kColumns, .change = change, .at = at, .count = count};
}

TEST(TranslateTest, MovesWhatHasNoDollar) {
  EXPECT_EQ(Translate("A1+$A1+A$1+$A$1", 2, 3), "D3+$A3+D$1+$A$1");
  EXPECT_EQ(Translate("SUM(A1:B2)*Other!C3", 1, 1), "SUM(B2:C3)*Other!D4");
  EXPECT_EQ(Translate("SUM(A:A,1:1,$B:$B)", 1, 1), "SUM(B:B,2:2,$B:$B)");
  EXPECT_EQ(Translate("'My A1 sheet'!A1", 1, 0), "'My A1 sheet'!A2");
}

TEST(TranslateTest, LeavesTextsNamesAndFunctionsAlone) {
  EXPECT_EQ(Translate("\"A1\"&LOG10(A1)&Rate1_x", 1, 0), "\"A1\"&LOG10(A2)&Rate1_x");
  EXPECT_EQ(Translate("Sales[A1]", 1, 0), "Sales[A1]");
  EXPECT_EQ(Translate(" A1 + B1 ", 0, 1), " B1 + C1 ");
}

TEST(TranslateTest, FallsOffTheSheetAsAnError) {
  EXPECT_EQ(Translate("A1+B2", -1, 0), "#REF!+B1");
  EXPECT_EQ(Translate("Data!A1", 0, -1), "Data!#REF!");
  EXPECT_EQ(Translate("XFD1", 0, 1), "#REF!");
  EXPECT_EQ(Translate("A1", 2'000'000'000, 0), "#REF!");
}

TEST(TranslateTest, KeepsWhatIsNoFormula) {
  EXPECT_EQ(Translate("\"open", 1, 1), "\"open");
  EXPECT_EQ(Translate("", 1, 1), "");
}

TEST(AdjustTest, InsertedRowsPushReferencesDown) {
  SheetChange change = RowsOf(Change::kInsert, 3, 2);
  EXPECT_EQ(Adjust("A1+A3+$A$5", "Data", change), "A1+A5+$A$7");
  EXPECT_EQ(Adjust("SUM(A1:A5)", "Data", change), "SUM(A1:A7)");
  EXPECT_EQ(Adjust("A:A+2:4", "Data", change), "A:A+2:6");
  EXPECT_EQ(Adjust("A5", "Other", change), "A5");
  EXPECT_EQ(Adjust("data!A5+A5", "Other", change), "data!A7+A5");
}

TEST(AdjustTest, DeletedRowsPullReferencesUp) {
  SheetChange change = RowsOf(Change::kDelete, 3, 2);
  EXPECT_EQ(Adjust("A1+A3+A5", "Data", change), "A1+#REF!+A3");
  EXPECT_EQ(Adjust("SUM(A1:A5)", "Data", change), "SUM(A1:A3)");
  EXPECT_EQ(Adjust("SUM(A1:A4)", "Data", change), "SUM(A1:A2)");
  EXPECT_EQ(Adjust("SUM(A3:A9)", "Data", change), "SUM(A3:A7)");
  EXPECT_EQ(Adjust("SUM(A3:A4)", "Data", change), "SUM(#REF!)");
}

TEST(AdjustTest, ColumnsWorkAlike) {
  EXPECT_EQ(Adjust("B1+A:C+1:1", "Data", ColumnsOf(Change::kInsert, 2, 1)), "C1+A:D+1:1");
  EXPECT_EQ(Adjust("B1+A:C", "Data", ColumnsOf(Change::kDelete, 2, 1)), "#REF!+A:B");
}

TEST(AdjustTest, StopsAtTheEndOfTheSheet) {
  EXPECT_EQ(Adjust("A1048576", "Data", RowsOf(Change::kInsert, 1, 1)), "#REF!");
  EXPECT_EQ(Adjust("A1:A1048576", "Data", RowsOf(Change::kInsert, 5, 1)), "A1:A1048576");
  EXPECT_EQ(Adjust("A1", "Data", RowsOf(Change::kInsert, 0, 0)), "A1");
}

TEST(RenameSheetTest, QuotesWhereNeeded) {
  EXPECT_EQ(RenameSheet("Data!A1+'Data'!B2+Other!A1", "data", "New"), "New!A1+New!B2+Other!A1");
  EXPECT_EQ(RenameSheet("Data!A1", "Data", "It's new"), "'It''s new'!A1");
  EXPECT_EQ(RenameSheet("\"Data!A1\"&Data!Total", "Data", "X2"), "\"Data!A1\"&'X2'!Total");
}

TEST(RenameSheetTest, NamesThatReadLikeCellsAreQuoted) {
  EXPECT_EQ(QuotedSheetName("Sheet1"), "Sheet1");
  EXPECT_EQ(QuotedSheetName("AB12"), "'AB12'");
  EXPECT_EQ(QuotedSheetName("2024"), "'2024'");
  EXPECT_EQ(QuotedSheetName("a b"), "'a b'");
  EXPECT_EQ(QuotedSheetName("Data_1.x"), "Data_1.x");
  EXPECT_EQ(QuotedSheetName(""), "''");
}

TEST(ForgetSheetTest, ReferencesToItBecomeErrors) {
  EXPECT_EQ(ForgetSheet("Data!A1+SUM(Data!A1:B2)+Other!A1", "Data"), "#REF!+SUM(#REF!)+Other!A1");
}

}  // namespace
}  // namespace viv::formula
