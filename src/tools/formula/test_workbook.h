#pragma once
// A workbook for tests: cells set by hand, and one sample that the tables of expected results use.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/formula/calendar.h"
#include "tools/formula/formula.h"

namespace viv::formula {

class TestWorkbook : public CellSource {
 public:
  explicit TestWorkbook(std::vector<std::string> sheets = {"Sheet1"})
      : names_(std::move(sheets)), cells_(names_.size()) {}

  void Set(CellAddress at, Value value) { Slot(at).value = std::move(value); }
  void SetFormula(CellAddress at, std::string formula, bool is_array = false) {
    Slot(at).formula = std::move(formula);
    Slot(at).is_array = is_array;
  }
  std::map<std::string, std::string, std::less<>> defined;
  std::vector<Table> tables;

  std::vector<std::string> SheetNames() const override { return names_; }
  void ForEachCell(int sheet, const Visit& visit) const override {
    for (const auto& [place, cell] : cells_[static_cast<std::size_t>(sheet)])
      visit(place.first, place.second, cell);
  }
  std::optional<std::string> DefinedName(std::string_view name, int) const override {
    auto found = defined.find(name);
    return found == defined.end() ? std::nullopt : std::optional<std::string>(found->second);
  }
  std::vector<Table> Tables() const override { return tables; }

 private:
  Cell& Slot(CellAddress at) {
    return cells_[static_cast<std::size_t>(at.sheet)][{at.row, at.column}];
  }

  std::vector<std::string> names_;
  std::vector<std::map<std::pair<int, int>, Cell>> cells_;
};

// The value a cell gets when everything is computed.
inline Value ValueAfter(const TestWorkbook& workbook, CellAddress at) {
  CalculationOptions options;
  options.now = 45678.25;
  options.seed = 7;
  for (auto& [address, value] : Recalculate(workbook, options).values)
    if (address == at) return value;
  return ErrorKind::kSpill;
}

inline TestWorkbook SampleWorkbook() {
  TestWorkbook workbook({"Data", "My Sheet", "T"});
  struct SampleRow {
    const char* name;
    double quantity, date;
    const char* text;
    bool flag;
    const char* region;
    double amount;
    const char* code;
  };
  const SampleRow rows[] = {
      {"Apple", 10, SerialFromDate(2024, 1, 15), "12", true, "North", 100.5, "A-1"},
      {"Banana", 20, SerialFromDate(2024, 2, 29), "abc", false, "South", 200.25, "B-22"},
      {"Cherry", 15, SerialFromDate(2023, 12, 31), "", true, "North", 50, "C-333"},
      {"apple pie", 5, SerialFromDate(2024, 6, 1), "1,234", false, "East", 75.75, "D*4"},
      {"Date", 30, SerialFromDate(2024, 7, 4), "5%", true, "South", 300, "E?5"},
      {"Elder", 20, SerialFromDate(2025, 3, 10), "2024-05-06", true, "West", -20, "F~6"},
      {"Fig", 0, 0, "", false, "", 0, ""},
      {"Grape", 7.5, SerialFromDate(2022, 11, 11), "hello world", false, "North", 0.1, "G 7"}};
  const char* const headers[] = {"Name", "Qty", "Date", "Text", "Flag", "Region", "Amount", "Code"};
  for (int i = 0; i < 8; ++i) workbook.Set({0, 1, i + 1}, std::string(headers[i]));
  for (int i = 0; i < 8; ++i) {
    const SampleRow& row = rows[i];
    workbook.Set({0, i + 2, 1}, std::string(row.name));
    if (std::string_view(row.name) == "Fig") continue;  // has nothing but its name
    workbook.Set({0, i + 2, 2}, row.quantity);
    workbook.Set({0, i + 2, 3}, row.date);
    if (*row.text != '\0') workbook.Set({0, i + 2, 4}, std::string(row.text));
    workbook.Set({0, i + 2, 5}, row.flag);
    workbook.Set({0, i + 2, 6}, std::string(row.region));
    workbook.Set({0, i + 2, 7}, row.amount);
    workbook.Set({0, i + 2, 8}, std::string(row.code));
  }
  for (int i = 1; i <= 5; ++i) {
    workbook.Set({1, i, 1}, static_cast<double>(i * i));
    workbook.Set({1, i, 2}, "k" + std::to_string(i));
    workbook.Set({1, i, 3}, i / 4.0);
  }
  workbook.defined = {
      {"Rate", "0.05"}, {"Amounts", "Data!$G$2:$G$9"}, {"Squares", "'My Sheet'!$A$1:$A$5"}};
  return workbook;
}

struct ExpectedResult {
  std::string_view formula;   // "{" in front makes it an array formula, unless it is an array
  std::string_view expected;  // a number, TRUE or FALSE, #ERROR, or a text after '
};

inline void ExpectResult(const ExpectedResult& row) {
  TestWorkbook workbook = SampleWorkbook();
  std::string_view formula = row.formula;
  bool is_array = formula.size() > 1 && formula[0] == '{' && formula[1] >= 'A' && formula[1] <= 'Z';
  if (is_array) formula.remove_prefix(1);
  workbook.SetFormula({2, 1, 3}, std::string(formula), is_array);
  Value value = ValueAfter(workbook, {2, 1, 3});
  std::string_view expected = row.expected;
  if (expected[0] == '\'') {
    EXPECT_EQ(value, Value(std::string(expected.substr(1))))
        << row.formula << ": " << ToText(value);
  } else if (expected == "TRUE" || expected == "FALSE") {
    EXPECT_EQ(value, Value(expected == "TRUE")) << row.formula << ": " << ToText(value);
  } else if (expected[0] == '#') {
    EXPECT_EQ(ToText(value), expected) << row.formula;
  } else {
    const auto* number = std::get_if<double>(&value);
    double wanted = std::strtod(std::string(expected).c_str(), nullptr);
    ASSERT_NE(number, nullptr) << row.formula << ": " << ToText(value);
    EXPECT_NEAR(*number, wanted, 1e-9 * std::max(1.0, std::fabs(wanted))) << row.formula;
  }
}

}  // namespace viv::formula
