// Sums, counts and averages of what meets conditions.

#include <algorithm>
#include <array>

#include "tools/formula/criteria.h"
#include "tools/formula/functions.h"
#include "tools/formula/reference.h"
#include "tools/formula/summary.h"

namespace viv::formula {
namespace {

std::int64_t CostOfTest(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text ? 2 + static_cast<std::int64_t>(text->size() / 4) : 1;
}

// Which cells of the ranges meet all conditions. Ranges have equal size; beyond what the sheets use
// every cell is empty and needs no place here.
class Selection {
 public:
  // Arguments come in pairs from `first` on: range, condition.
  Selection(Call& call, int first) {
    for (int i = first; i + 1 < call.size(); i += 2) Narrow(call, i);
  }

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  double count() const {
    return static_cast<double>(std::count(chosen_.begin(), chosen_.end(), true));
  }
  bool Has(int row, int column) const {
    return row < rows_ && column < columns_ && chosen_[Index(row, column)];
  }

 private:
  void Narrow(Call& call, int i) {
    Criterion criterion(call.Any(i + 1));
    const Reference* reference = call.AsReference(i);
    std::vector<bool> accepted;
    if (reference && reference->size() == 1) {
      Area area = call.evaluator().Clipped((*reference)[0]);
      std::int64_t size = static_cast<std::int64_t>(area.rows()) * area.columns();
      if (size > kArrayCellsMax) call.Fail(ErrorKind::kNumber);
      if (call.error() || !Fits(call, area.rows(), area.columns()) || !call.evaluator().Ready(area))
        return;
      accepted.assign(static_cast<std::size_t>(size), criterion.AcceptsBlank());
      call.evaluator().Charge(size / 16);
      Test(call, criterion, area, accepted);
    } else {
      Array values = call.Matrix(i);
      if (call.evaluator().halted() || !Fits(call, values.rows, values.columns)) return;
      for (const Value& value : values.cells) {
        if (!call.evaluator().Charge(CostOfTest(value))) return;
        accepted.push_back(criterion.Accepts(value));
      }
    }
    for (std::size_t k = 0; k < accepted.size(); ++k) chosen_[k] = chosen_[k] && accepted[k];
  }

  void Test(Call& call,
            const Criterion& criterion,
            const Area& area,
            std::vector<bool>& accepted) const {
    if (area.columns() == 1) {
      CachedLine* line = call.evaluator().LineOf(area);
      for (std::size_t k = 0; line && k < accepted.size(); ++k) {
        const Value& value = *line->values()[k];
        if (IsBlank(value)) continue;
        if (!call.evaluator().Charge(CostOfTest(value))) return;
        accepted[k] = criterion.Accepts(value);
      }
      return;
    }
    call.evaluator().grid().ForEach(area, [&](const GridCell& cell) {
      accepted[Index(cell.address.row - area.first_row, cell.address.column - area.first_column)] =
          criterion.Accepts(cell.value);
      return call.evaluator().Charge(CostOfTest(cell.value));
    });
  }

  // The first range gives the size, the others must have it.
  bool Fits(Call& call, int rows, int columns) {
    if (rows_ == 0) {
      rows_ = rows;
      columns_ = columns;
      chosen_.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), true);
    }
    if (rows == rows_ && columns == columns_) return true;
    call.Fail(ErrorKind::kValue);
    return false;
  }

  std::size_t Index(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(column);
  }

  int rows_ = 0, columns_ = 0;
  std::vector<bool> chosen_;
};

// The numbers of argument `i` at the places that were chosen. The range may be given as its first
// cell alone: it then has the size of the selection.
NumberList ChosenNumbers(Call& call, int i, const Selection& selection) {
  NumberList out;
  auto take = [&](const Value& value) {
    if (const auto* error = std::get_if<ErrorKind>(&value)) call.Fail(*error);
    if (const auto* number = std::get_if<double>(&value)) out.push_back(*number);
  };
  const Reference* reference = call.AsReference(i);
  if (reference && reference->size() == 1) {
    Area area = (*reference)[0];
    area.last_row = std::min(area.first_row + std::max(selection.rows(), 1) - 1, kRowMax);
    area.last_column =
        std::min(area.first_column + std::max(selection.columns(), 1) - 1, kColumnMax);
    if (!call.evaluator().Ready(area)) return out;
    call.evaluator().grid().ForEach(area, [&](const GridCell& cell) {
      if (selection.Has(cell.address.row - area.first_row, cell.address.column - area.first_column))
        take(cell.value);
      return call.evaluator().Charge(1);
    });
    return out;
  }
  Array values = call.Matrix(i);
  for (int row = 0; row < values.rows; ++row)
    for (int column = 0; column < values.columns; ++column)
      if (selection.Has(row, column)) take(values.At(row, column));
  return out;
}

// SUMIF(range, condition, [sum]): the summed range comes last.
NumberList NumbersIf(Call& call) {
  Selection selection(call, 0);
  return ChosenNumbers(call, call.Has(2) ? 2 : 0, selection);
}

// SUMIFS(sum, range, condition, …): it comes first.
NumberList NumbersIfs(Call& call) {
  if (call.size() % 2 == 0) call.Fail(ErrorKind::kValue);
  Selection selection(call, 1);
  const Reference* reference = call.AsReference(0);
  if (reference && !call.evaluator().halted()) {
    Area area = call.evaluator().Clipped((*reference)[0]);
    if (area.rows() != selection.rows() || area.columns() != selection.columns())
      call.Fail(ErrorKind::kValue);
  }
  return ChosenNumbers(call, 0, selection);
}

// One condition on a range needs no selection: cells that hold nothing, of which whole columns have
// a million, are counted by arithmetic.
double CountIf(Call& call, const Area& area) {
  Criterion criterion(call.Any(1));
  double met = 0, present = 0;
  if (!call.evaluator().Ready(area)) return 0;
  auto test = [&](const Value& value) {
    ++present;
    met += criterion.Accepts(value) ? 1 : 0;
    return call.evaluator().Charge(CostOfTest(value));
  };
  if (area.columns() == 1) {
    CachedLine* line = call.evaluator().LineOf(call.evaluator().Clipped(area));
    if (!line) return 0;
    for (const Value* value : line->values())
      if (!IsBlank(*value) && !test(*value)) break;
  } else {
    call.evaluator().grid().ForEach(area, [&](const GridCell& cell) { return test(cell.value); });
  }
  double all = static_cast<double>(area.rows()) * area.columns();
  return criterion.AcceptsBlank() ? met + all - present : met;
}

Operand RunCountIfs(Call& call) {
  if (call.size() % 2 != 0) return Err(ErrorKind::kValue);
  call.evaluator().Charge(10);
  const Reference* reference = call.AsReference(0);
  if (reference && reference->size() == 1 && call.size() == 2)
    return Num(CountIf(call, (*reference)[0]));
  return Num(Selection(call, 0).count());
}

const std::array kConditionTable = {
    Function{"SUMIF", "RVR", 2, 3, [](Call& c) { return Num(SumOf(NumbersIf(c))); }},
    Function{"SUMIFS", "R|RV", 3, kManyArguments,
             [](Call& c) { return Num(SumOf(NumbersIfs(c))); }},
    Function{"COUNTIF", "RV", 2, 2, RunCountIfs},
    Function{"COUNTIFS", "|RV", 2, kManyArguments, RunCountIfs},
    Function{"AVERAGEIF", "RVR", 2, 3, [](Call& c) { return Operand(AverageOf(NumbersIf(c))); }},
    Function{"AVERAGEIFS", "R|RV", 3, kManyArguments,
             [](Call& c) { return Operand(AverageOf(NumbersIfs(c))); }},
    Function{"MAXIFS", "R|RV", 3, kManyArguments,
             [](Call& c) { return Operand(MaxOf(NumbersIfs(c))); }},
    Function{"MINIFS", "R|RV", 3, kManyArguments,
             [](Call& c) { return Operand(MinOf(NumbersIfs(c))); }},
};

}  // namespace

FunctionList ConditionFunctions() {
  return kConditionTable;
}

}  // namespace viv::formula
