// Computing whole workbooks: order, long chains, circles, limits.

#include <gtest/gtest.h>

#include "tools/formula/formula.h"
#include "tools/formula/test_workbook.h"

namespace viv::formula {
namespace {

TEST(RecalculateTest, ComputesInOrderOfNeed) {
  TestWorkbook workbook({"One", "Two"});
  workbook.SetFormula({0, 1, 1}, "A2+Two!A1");
  workbook.SetFormula({0, 2, 1}, "A3*2");
  workbook.Set({0, 3, 1}, 21.0);
  workbook.SetFormula({1, 1, 1}, "One!A2");
  Recalculation done = Recalculate(workbook);
  ASSERT_EQ(done.values.size(), 3U);
  EXPECT_EQ(done.values[0].second, Value(84.0));
  EXPECT_TRUE(done.circular.empty());
  EXPECT_TRUE(done.unfinished.empty());
}

TEST(RecalculateTest, AChainOfManyThousandsNeedsNoStack) {
  TestWorkbook workbook;
  constexpr int kLength = 20'000;
  for (int row = 1; row < kLength; ++row)
    workbook.SetFormula({0, row, 1}, "A" + std::to_string(row + 1) + "+1");
  workbook.Set({0, kLength, 1}, 1.0);
  EXPECT_EQ(ValueAfter(workbook, {0, 1, 1}), Value(20'000.0));
}

TEST(RecalculateTest, SumsOverSumsAreComputedOnce) {
  TestWorkbook workbook;
  for (int row = 1; row < 1000; ++row)
    workbook.SetFormula({0, row, 1}, "SUM(A" + std::to_string(row + 1) + ":A1000)/2");
  workbook.Set({0, 1000, 1}, 1.0);
  EXPECT_TRUE(std::holds_alternative<double>(ValueAfter(workbook, {0, 1, 1})));
}

TEST(RecalculateTest, CirclesAreFoundAndTheRestIsComputed) {
  TestWorkbook workbook;
  workbook.SetFormula({0, 1, 1}, "B1");
  workbook.SetFormula({0, 1, 2}, "C1+1");
  workbook.SetFormula({0, 1, 3}, "A1");
  workbook.SetFormula({0, 2, 1}, "A2");
  workbook.SetFormula({0, 3, 1}, "SUM(A1:A9)");
  workbook.SetFormula({0, 4, 2}, "1+1");
  Recalculation done = Recalculate(workbook);
  EXPECT_EQ(done.circular.size(), 5U);
  for (const auto& [at, value] : done.values) {
    bool outside = at == CellAddress{0, 4, 2};
    EXPECT_EQ(value, outside ? Value(2.0) : Value(ErrorKind::kReference));
  }
}

TEST(RecalculateTest, ABranchNotTakenMayReferBack) {
  TestWorkbook workbook;
  workbook.SetFormula({0, 1, 1}, "IF(TRUE,5,A1)");
  Recalculation done = Recalculate(workbook);
  EXPECT_TRUE(done.circular.empty());
  EXPECT_EQ(done.values[0].second, Value(5.0));
}

TEST(RecalculateTest, ReferencesMadeWhileComputingAreFollowed) {
  TestWorkbook workbook;
  workbook.SetFormula({0, 1, 1}, "INDIRECT(\"B\"&2)+OFFSET(B1,2,0)");
  workbook.SetFormula({0, 2, 2}, "10*2");
  workbook.SetFormula({0, 3, 2}, "B2+1");
  EXPECT_EQ(ValueAfter(workbook, {0, 1, 1}), Value(41.0));
}

TEST(RecalculateTest, PositionsOfCellsNeedNoValues) {
  TestWorkbook workbook;
  workbook.SetFormula({0, 5, 1}, "ROW(A5)+ROWS(A1:A9)");
  Recalculation done = Recalculate(workbook);
  EXPECT_TRUE(done.circular.empty());
  EXPECT_EQ(done.values[0].second, Value(14.0));
}

TEST(RecalculateTest, TextThatIsNoFormulaIsANameError) {
  TestWorkbook workbook;
  workbook.SetFormula({0, 1, 1}, "1+");
  workbook.SetFormula({0, 1, 2}, "A1");
  EXPECT_EQ(ValueAfter(workbook, {0, 1, 1}), Value(ErrorKind::kName));
  EXPECT_EQ(ValueAfter(workbook, {0, 1, 2}), Value(ErrorKind::kName));
}

TEST(RecalculateTest, WorkBeyondTheLimitLeavesCellsWithoutValue) {
  TestWorkbook workbook;
  for (int row = 1; row <= 100; ++row) workbook.SetFormula({0, row, 1}, "SUM(SEQUENCE(10000))");
  CalculationOptions options;
  options.total_steps_max = 100'000;
  Recalculation done = Recalculate(workbook, options);
  EXPECT_GT(done.values.size(), 0U);
  EXPECT_GT(done.unfinished.size(), 50U);
  EXPECT_EQ(done.values.size() + done.unfinished.size(), 100U);
}

TEST(RecalculateTest, OneGreedyFormulaDoesNotStopTheOthers) {
  TestWorkbook workbook;
  workbook.SetFormula({0, 1, 1}, "SUM(SEQUENCE(1000000)*2)");
  workbook.SetFormula({0, 2, 1}, "1+1");
  CalculationOptions options;
  options.formula_steps_max = 10'000;
  Recalculation done = Recalculate(workbook, options);
  ASSERT_EQ(done.values.size(), 2U);
  EXPECT_EQ(done.values[0].second, Value(ErrorKind::kNumber));
  EXPECT_EQ(done.values[1].second, Value(2.0));
}

TEST(RecalculateTest, CellsOutsideOfASheetAreLeftOut) {
  TestWorkbook workbook;
  workbook.Set({0, -5, 1}, 1.0);
  workbook.Set({0, 1, 99'999}, 1.0);
  workbook.SetFormula({0, 1, 1}, "SUM(B:XFD)");
  EXPECT_EQ(ValueAfter(workbook, {0, 1, 1}), Value(0.0));
}

TEST(RecalculateTest, AnEmptyWorkbookIsNoProblem) {
  EXPECT_TRUE(Recalculate(TestWorkbook(std::vector<std::string>{})).values.empty());
  EXPECT_TRUE(Recalculate(TestWorkbook()).values.empty());
}

TEST(RecalculateTest, SubtotalsLeaveOutOtherSubtotals) {
  TestWorkbook workbook;
  workbook.Set({0, 1, 1}, 1.0);
  workbook.Set({0, 2, 1}, 2.0);
  workbook.SetFormula({0, 3, 1}, "SUBTOTAL(9,A1:A2)");
  workbook.SetFormula({0, 4, 1}, "SUBTOTAL(9,A1:A3)");
  EXPECT_EQ(ValueAfter(workbook, {0, 4, 1}), Value(3.0));
}

}  // namespace
}  // namespace viv::formula
