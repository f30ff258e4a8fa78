// Reading formulas, and what becomes of hostile ones.

#include "tools/formula/formula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/formula/call.h"
#include "tools/formula/number_format.h"
#include "tools/formula/test_workbook.h"

namespace viv::formula {
namespace {

using testing::HasSubstr;

std::string SyntaxProblem(std::string_view formula) {
  Status status = CheckSyntax(formula);
  return status ? "" : status.error().message;
}

std::string Repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

Value ResultOf(std::string formula) {
  TestWorkbook workbook = SampleWorkbook();
  return Evaluate(workbook, {2, 5, 5}, formula);
}

TEST(FormulaSyntax, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(SyntaxProblem(""), HasSubstr("empty"));
  EXPECT_THAT(SyntaxProblem("1+"), HasSubstr("ends where a value was expected"));
  EXPECT_THAT(SyntaxProblem("(1+2"), HasSubstr("')'"));
  EXPECT_THAT(SyntaxProblem("1)"), HasSubstr("found ')' at character 2"));
  EXPECT_THAT(SyntaxProblem("SUM(1 2)"), HasSubstr("arguments of SUM"));
  EXPECT_THAT(SyntaxProblem("\"open"), HasSubstr("no closing quote"));
  EXPECT_THAT(SyntaxProblem("1 ! 2"), HasSubstr("Unexpected '!'"));
  EXPECT_THAT(SyntaxProblem("{1,2;3}"), HasSubstr("differ in length"));
  EXPECT_THAT(SyntaxProblem("{A1}"), HasSubstr("constant in the array"));
  EXPECT_THAT(SyntaxProblem("12abc"), HasSubstr("begin with a digit"));
  EXPECT_THAT(SyntaxProblem("'My Sheet'A1"), HasSubstr("followed by '!'"));
  EXPECT_THAT(SyntaxProblem("#WHAT!"), HasSubstr("Unknown error value"));
  EXPECT_THAT(SyntaxProblem("Table1[Col"), HasSubstr("bracket is not closed"));
  EXPECT_THAT(SyntaxProblem("$"), HasSubstr("'$'"));
  EXPECT_THAT(SyntaxProblem(std::string("1+\0", 3)), HasSubstr("Unexpected"));
}

TEST(FormulaSyntax, AcceptsWhatSpreadsheetsWrite) {
  for (std::string_view formula :
       {"1", " 1 + 2 ", "SUM(A1:B2,C:C,3:4)", "-A1^2%", "IF(,1,)", "'It''s'!$A$1",
        "Sales[[#Totals],[Amount]]", "[@Price]*2", "A1#", "@A:A", "(A1:B2,C3)", "A1:B2 B1:B9",
        "_xlfn.XLOOKUP(1,A:A,B:B)", "NOSUCHFUNCTION(1)", "{\"a\",TRUE;#N/A,-1.5}", "1;2"})
    EXPECT_TRUE(formula == "1;2" || CheckSyntax(formula))
        << formula << ": " << SyntaxProblem(formula);
}

TEST(FormulaLimits, RefuseDepthAndLength) {
  EXPECT_THAT(SyntaxProblem(Repeated("(", 5000) + "1" + Repeated(")", 5000)),
              HasSubstr("too deeply"));
  EXPECT_THAT(SyntaxProblem(Repeated("ABS(", 5000)), HasSubstr("too deeply"));
  EXPECT_THAT(SyntaxProblem(Repeated("1+", 20'000) + "1"), HasSubstr("longer than"));
  EXPECT_THAT(SyntaxProblem("SUM(" + Repeated("1,", 300) + "1)"), HasSubstr("more than 255"));
  EXPECT_THAT(SyntaxProblem("SUM(A1" + Repeated(":A1", 500) + ")"),
              testing::Not(testing::IsEmpty()));
}

TEST(FormulaLimits, LongChainsOfOperatorsAreFlat) {
  EXPECT_EQ(ResultOf(Repeated("1+", 10'000) + "1"), Value(10'001.0));
  EXPECT_EQ(ResultOf(Repeated("-", 30'001) + "1"), Value(-1.0));
  EXPECT_EQ(ResultOf("1" + Repeated("%", 4)), Value(1e-8));
}

TEST(FormulaLimits, HostileFormulasEndWithAnError) {
  for (std::string_view formula :
       {"REPT(REPT(\"x\",1000000),1000000)", "REPT(\"x\",1E300)", "SUM(SEQUENCE(1000000,1000000))",
        "SUM(SEQUENCE(100000)*TRANSPOSE(SEQUENCE(100000)))",
        "SUMPRODUCT((A1:XFD1048576=1)*1,A1:XFD1048576)", "FACT(1E300)", "COMBIN(1E15,5E14)",
        "MMULT(SEQUENCE(2000,500),SEQUENCE(500,2000))",
        "SUBSTITUTE(REPT(\"a\",100000),\"a\",REPT(\"b\",100000))", "TEXT(1,REPT(\"0\",2000))",
        "MUNIT(100000)", "10^400", "WORKDAY(1,1E9)", "BASE(1E300,2)", "INDIRECT(REPT(\"(\",9999))",
        "DATE(1E300,1,1)", "EDATE(1,1E300)", "TEXTJOIN(REPT(\"x\",99999),FALSE,SEQUENCE(99999))"}) {
    Value value = ResultOf(std::string(formula));
    EXPECT_TRUE(IsError(value)) << formula << " gave " << ToText(value).substr(0, 60);
  }
}

TEST(FormulaLimits, WorkIsCounted) {
  // Each of these would take minutes: searches with stars, inverses over arrays, nested arrays.
  for (std::string_view formula :
       {"SEARCH(REPT(\"a*\",200)&\"b\",REPT(\"a\",30000))",
        "SUM(F.INV(SEQUENCE(100000)/100001,3,4))", "SUM(COUNTIF(Data!A:A,SEQUENCE(1000000)))",
        "SUM(MMULT(SEQUENCE(1000,1000),SEQUENCE(1000,1000)))"}) {
    CalculationOptions options;
    options.formula_steps_max = 500'000;
    Value value = Evaluate(SampleWorkbook(), {2, 5, 5}, formula, options);
    EXPECT_TRUE(IsError(value)) << formula;
  }
}

TEST(FormulaNames, EndlessNamesAreCutOff) {
  TestWorkbook workbook = SampleWorkbook();
  workbook.defined = {{"Me", "Me+1"}, {"Ping", "Pong"}, {"Pong", "Ping"}, {"Broken", "1+"}};
  EXPECT_TRUE(IsError(Evaluate(workbook, {2, 1, 1}, "Me")));
  EXPECT_TRUE(IsError(Evaluate(workbook, {2, 1, 1}, "Ping")));
  EXPECT_EQ(Evaluate(workbook, {2, 1, 1}, "Broken"), Value(ErrorKind::kName));
}

TEST(FormulaTables, StructuredReferencesNameRowsAndColumns) {
  TestWorkbook workbook = SampleWorkbook();
  workbook.tables = {
      {.name = "Sales",
       .sheet = 0,
       .first_row = 1,
       .first_column = 1,
       .last_row = 9,
       .last_column = 8,
       .columns = {"Name", "Qty", "Date", "Text", "Flag", "Region", "Amount", "Code"}}};
  EXPECT_EQ(Evaluate(workbook, {2, 1, 1}, "SUM(Sales[Qty])"), Value(107.5));
  EXPECT_EQ(Evaluate(workbook, {2, 1, 1}, "sum(sales[qty])"), Value(107.5));
  EXPECT_EQ(Evaluate(workbook, {2, 1, 1}, "Sales[[#Headers],[Qty]]"), Value("Qty"));
  EXPECT_EQ(Evaluate(workbook, {2, 1, 1}, "COUNTA(Sales[#All])"), Value(64.0));
  EXPECT_EQ(Evaluate(workbook, {2, 1, 1}, "ROWS(Sales)"), Value(8.0));
  EXPECT_EQ(Evaluate(workbook, {2, 1, 1}, "COLUMNS(Sales[[Qty]:[Flag]])"), Value(4.0));
  EXPECT_EQ(Evaluate(workbook, {0, 3, 8}, "Sales[@Qty]*2"), Value(40.0));
  EXPECT_EQ(Evaluate(workbook, {0, 3, 8}, "[@Qty]*2"), Value(40.0));
  EXPECT_EQ(Evaluate(workbook, {0, 3, 8}, "Sales[[#This Row],[Qty]]"), Value(20.0));
  EXPECT_EQ(Evaluate(workbook, {2, 1, 1}, "Sales[@Qty]"), Value(ErrorKind::kValue));
  EXPECT_EQ(Evaluate(workbook, {2, 1, 1}, "SUM(Sales[Nope])"), Value(ErrorKind::kReference));
  EXPECT_EQ(Evaluate(workbook, {2, 1, 1}, "SUM(Nothing[Qty])"), Value(ErrorKind::kName));
}

TEST(FormulaValues, APlainFormulaTakesItsOwnRowOfARange) {
  TestWorkbook workbook = SampleWorkbook();
  EXPECT_EQ(Evaluate(workbook, {0, 3, 9}, "B2:B9*2"), Value(40.0));
  EXPECT_EQ(Evaluate(workbook, {0, 30, 9}, "B2:B9*2"), Value(ErrorKind::kValue));
  EXPECT_EQ(Evaluate(workbook, {0, 30, 9}, "SUM(B2:B9*2)"), Value(215.0));
}

TEST(FormulaValues, DatesCountFrom1904WhereTheWorkbookSaysSo) {
  CalculationOptions options;
  options.dates_from_1904 = true;
  options.now = SerialDate(2024, 5, 6);
  TestWorkbook workbook;
  EXPECT_EQ(Evaluate(workbook, {0, 1, 1}, "DATE(1904,1,2)", options), Value(1.0));
  EXPECT_EQ(Evaluate(workbook, {0, 1, 1}, "YEAR(TODAY())", options), Value(2024.0));
  EXPECT_EQ(Evaluate(workbook, {0, 1, 1}, "TEXT(1,\"yyyy-mm-dd\")", options), Value("1904-01-02"));
}

TEST(FormulaFunctions, AreMany) {
  EXPECT_GE(FunctionCount(), 350U);
}

TEST(NumberFormat, BrokenFormatsDoNoHarm) {
  for (std::string_view format : {"[", "\"", "\\", "[>", "[$", "0.", ".", "E+", "0E+", "_", "*",
                                  "/", "?/", "[h", ";;;;;", "@@@@", "[>x]0;1", "####/####", "0/0"})
    for (const Value& value :
         {Value(1.5), Value(-1e300), Value(0.0), Value("x"), Value(true), Value(Blank{})})
      FormatValue(value, format);
  EXPECT_EQ(FormatValue(1.5, std::string(5000, '0')), "1.5");
}

}  // namespace
}  // namespace viv::formula
