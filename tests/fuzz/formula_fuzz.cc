// Formulas of a workbook: one a line, each in the cell of its own row, so that they refer to each
// other. They are computed, moved and shown in formats.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "fuzz_target.h"
#include "tools/formula/formula.h"
#include "tools/formula/move.h"
#include "tools/formula/number_format.h"
#include "tools/formula/validate.h"

namespace {

using namespace viv;

class FuzzedWorkbook : public formula::CellSource {
 public:
  explicit FuzzedWorkbook(std::string_view text) : lines_(viv::Split(text.substr(0, 4096), '\n')) {
    if (lines_.size() > 50) lines_.resize(50);
  }

  const std::vector<std::string_view>& lines() const { return lines_; }
  std::vector<std::string> SheetNames() const override { return {"Data", "My Sheet"}; }
  void ForEachCell(int sheet, const Visit& visit) const override {
    formula::Cell cell;
    for (int row = 1; row <= 10; ++row) {
      cell.value =
          row % 3 == 0 ? formula::Value("text " + std::to_string(row)) : formula::Value(row * 1.5);
      visit(row, 2 + sheet, cell);
    }
    if (sheet != 0) return;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      cell.formula = std::string(lines_[i]);
      visit(static_cast<int>(i) + 1, 1, cell);
    }
  }
  std::optional<std::string> DefinedName(std::string_view name, int) const override {
    if (name == "Loop") return "Loop+1";
    return name == "Area" ? std::optional<std::string>("Data!$B$1:$B$10") : std::nullopt;
  }
  std::vector<formula::Table> Tables() const override {
    return {{.name = "Table1", .last_row = 5, .last_column = 2, .columns = {"One", "Two"}}};
  }

 private:
  std::vector<std::string_view> lines_;
};

}  // namespace

FUZZ_TARGET(formula)(const std::uint8_t* data, std::size_t size) {
  FuzzedWorkbook workbook(std::string_view(reinterpret_cast<const char*>(data), size));
  formula::CalculationOptions options;
  options.now = 45'000;
  options.seed = 1;
  options.formula_steps_max = 50'000;
  options.total_steps_max = 500'000;
  formula::Recalculation done = formula::Recalculate(workbook, options);
  for (const auto& [at, value] : done.values) (void)formula::ToText(value);
  for (std::string_view line : workbook.lines()) {
    (void)formula::CheckSyntax(line);
    (void)formula::ValidateFormula(line);
    (void)formula::Translate(line, 3, -1);
    (void)formula::Adjust(line, "Data", {.sheet = "Data", .at = 2, .count = 3});
    (void)formula::RenameSheet(line, "Data", "It's");
    (void)formula::FormatValue(-1234.5678, line);
    (void)formula::FormatValue(std::string("x"), line);
  }
  return 0;
}
