#pragma once
// Formulas of a workbook: reading them, computing them, and rewriting their references when cells
// move. The workbook itself is the caller's; it is seen through CellSource. Formulas are hostile
// text: length, depth, work and the size of what they make are limited, and one that goes too far
// ends as an error value. Formula texts stand without the "=" that begins them in a cell.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tools/formula/value.h"

namespace viv::formula {

// Rows and columns count from 1, sheets from 0 in the workbook's order.
struct CellAddress {
  int sheet = 0;
  int row = 1;
  int column = 1;
  auto operator<=>(const CellAddress&) const = default;
};

struct Cell {
  Value value;            // of a cell without a formula; otherwise ignored
  std::string formula;    // without "="; empty: none
  bool is_array = false;  // an array formula ({=…}): computed over whole ranges
};

// A table (list object) for structured references such as Sales[Amount].
struct Table {
  std::string name;
  int sheet = 0;
  int first_row = 1, first_column = 1, last_row = 1, last_column = 1;  // with header and totals
  bool has_header = true;
  bool has_totals = false;
  std::vector<std::string> columns;
};

class CellSource {
 public:
  using Visit = std::function<void(int row, int column, const Cell& cell)>;

  virtual ~CellSource() = default;
  virtual std::vector<std::string> SheetNames() const = 0;
  // Every cell that holds something, in any order.
  virtual void ForEachCell(int sheet, const Visit& visit) const = 0;
  // What a defined name stands for, as formula text ("Sheet1!$A$1:$B$9"); names of the sheet itself
  // go before the workbook's. Names are compared without regard to case.
  virtual std::optional<std::string> DefinedName(std::string_view name, int sheet) const;
  virtual std::vector<Table> Tables() const;
};

struct CalculationOptions {
  double now = 0;          // of NOW() and TODAY(), as a serial date; 0: the clock's, in UTC
  std::uint64_t seed = 0;  // of RAND(); 0: random
  std::int64_t formula_steps_max = 20'000'000;
  std::int64_t total_steps_max = 300'000'000;
  bool dates_from_1904 = false;
};

struct Recalculation {
  // One entry per formula cell that could be computed, in order of address.
  std::vector<std::pair<CellAddress, Value>> values;
  std::vector<CellAddress> circular;    // their value is #REF!
  std::vector<CellAddress> unfinished;  // beyond the limit on work: no value for them
};

// Computes every formula cell.
Recalculation Recalculate(const CellSource& source, const CalculationOptions& options = {});

// Computes one formula as if it stood in the cell `at`.
Value Evaluate(const CellSource& source,
               CellAddress at,
               std::string_view formula,
               const CalculationOptions& options = {});

// Fails with kInvalidArgument, saying in words what is wrong and where, when the text is no
// formula. Functions and names that do not exist are no error of syntax.
Status CheckSyntax(std::string_view formula);

// Serial dates as the date system of workbooks counts them.
double SerialNow();
double SerialDate(int year, int month, int day);

}  // namespace viv::formula
