// Sums, counts, averages, extremes, and the functions that choose among them (SUBTOTAL, AGGREGATE).

#include <array>
#include <cmath>

#include "tools/formula/functions.h"
#include "tools/formula/summary.h"

namespace viv::formula {
namespace {

Operand RunCount(Call& call) {
  double count = 0;
  for (int i = 0; i < call.size(); ++i)
    call.ForEach(i, [&](const Value& value, bool is_direct) {
      if (std::holds_alternative<double>(value) || (is_direct && ToNumber(value))) ++count;
      return true;
    });
  return Num(count);
}

Operand RunCountA(Call& call) {
  double count = 0;
  for (int i = 0; i < call.size(); ++i)
    call.ForEach(i, [&](const Value& value, bool) {
      if (!IsBlank(value)) ++count;
      return true;
    });
  return Num(count);
}

Operand RunCountBlank(Call& call) {
  const Reference* reference = call.AsReference(0);
  double filled = 0, all = 1;
  call.ForEach(0, [&](const Value& value, bool) {
    const auto* text = std::get_if<std::string>(&value);
    if (!IsBlank(value) && !(text && text->empty())) ++filled;
    return true;
  });
  if (const auto* array = std::get_if<Array>(&call.Raw(0)))
    all = static_cast<double>(array->cells.size());
  if (reference) {
    all = 0;
    for (const Area& area : *reference) all += static_cast<double>(area.rows()) * area.columns();
  }
  return Num(all - filled);
}

// Products of what stands at the same place of every argument; what is no number counts as 0.
Operand RunSumProduct(Call& call) {
  Array product = call.Matrix(0);
  std::vector<double> terms(product.cells.size(), 1);
  for (int i = 0; i < call.size(); ++i) {
    Array next = i == 0 ? product : call.Matrix(i);
    if (call.evaluator().halted()) return Num(0);
    if (next.rows != product.rows || next.columns != product.columns) return Err(ErrorKind::kValue);
    for (std::size_t k = 0; k < next.cells.size(); ++k) {
      const Value& value = next.cells[k];
      if (const auto* error = std::get_if<ErrorKind>(&value)) return Err(*error);
      const auto* number = std::get_if<double>(&value);
      terms[k] *= number ? *number : 0;
    }
  }
  // A condition alone, SUMPRODUCT(A1:A3>1), sums nothing: its values are no numbers.
  return Num(SumOf(terms));
}

// Sums over pairs of two arrays: x²-y², x²+y², (x-y)².
Operand RunPairs(Call& call, char kind) {
  Array x = call.Matrix(0), y = call.Matrix(1);
  if (x.cells.size() != y.cells.size()) return Err(ErrorKind::kNotAvailable);
  NumberList terms;
  for (std::size_t i = 0; i < x.cells.size(); ++i) {
    if (IsError(x.cells[i])) return x.cells[i];
    if (IsError(y.cells[i])) return y.cells[i];
    const auto* a = std::get_if<double>(&x.cells[i]);
    const auto* b = std::get_if<double>(&y.cells[i]);
    if (!a || !b) continue;
    terms.push_back(kind == '-'   ? *a * *a - *b * *b
                    : kind == '+' ? *a * *a + *b * *b
                                  : (*a - *b) * (*a - *b));
  }
  return Num(SumOf(terms));
}

// The numbers of a figure as SUBTOTAL and AGGREGATE count them.
Value Summary(int which, const NumberList& numbers, double count_all) {
  switch (which) {
    case 1:
      return AverageOf(numbers);
    case 2:
      return static_cast<double>(numbers.size());
    case 3:
      return count_all;
    case 4:
      return MaxOf(numbers);
    case 5:
      return MinOf(numbers);
    case 6:
      return ProductOf(numbers);
    case 7:
      return DeviationOf(numbers, 1);
    case 8:
      return DeviationOf(numbers, 0);
    case 9:
      return SumOf(numbers);
    case 10:
      return VarianceOf(numbers, 1);
    case 11:
      return VarianceOf(numbers, 0);
    case 12:
      return MedianOf(numbers);
    case 13:
      return ModeOf(numbers);
    default:
      return ErrorKind::kValue;
  }
}

// Whether the formula is itself a subtotal, which other subtotals leave out.
bool IsSubtotal(const GridCell& cell) {
  return cell.formula.compare(0, 9, "SUBTOTAL(") == 0 ||
         cell.formula.compare(0, 10, "AGGREGATE(") == 0;
}

struct Collected {
  NumberList numbers;
  double count = 0;
};

enum class Errors { kFail, kIgnore };

void Collect(Call& call, int i, Errors errors, bool with_subtotals, Collected& out) {
  auto take = [&](const Value& value) {
    if (const auto* error = std::get_if<ErrorKind>(&value)) {
      if (errors == Errors::kFail) call.Fail(*error);
      return;
    }
    if (!IsBlank(value)) ++out.count;
    if (const auto* number = std::get_if<double>(&value)) out.numbers.push_back(*number);
  };
  const Reference* reference = call.AsReference(i);
  if (!reference) {
    call.ForEach(i, [&](const Value& value, bool) {
      take(value);
      return true;
    });
    return;
  }
  for (const Area& area : *reference) {
    if (!call.evaluator().Ready(area)) return;
    call.evaluator().grid().ForEach(area, [&](const GridCell& cell) {
      if (with_subtotals || !IsSubtotal(cell)) take(cell.value);
      return call.evaluator().Charge(1);
    });
  }
}

Operand RunSubtotal(Call& call) {
  int which = call.Integer(0);
  if (which > 100) which -= 100;
  if (which < 1 || which > 11) return Err(ErrorKind::kValue);
  Collected all;
  for (int i = 1; i < call.size(); ++i) Collect(call, i, Errors::kFail, false, all);
  return Summary(which, all.numbers, all.count);
}

Operand RunAggregate(Call& call) {
  int which = call.Integer(0), options = call.Integer(1);
  if (which < 1 || which > 19 || options < 0 || options > 7) return Err(ErrorKind::kValue);
  bool ignores = options == 2 || options == 3 || options == 6 || options == 7;
  Collected all;
  int last = which > 13 ? 3 : call.size();
  for (int i = 2; i < last; ++i)
    Collect(call, i, ignores ? Errors::kIgnore : Errors::kFail, options >= 4, all);
  if (which <= 13) return Summary(which, all.numbers, all.count);
  if (call.size() < 4) return Err(ErrorKind::kValue);
  double k = call.Number(3);
  switch (which) {
    case 14:
      return NthLargest(all.numbers, k);
    case 15:
      return NthSmallest(all.numbers, k);
    case 16:
      return PercentileOf(all.numbers, k);
    case 17:
      return PercentileOf(all.numbers, std::trunc(k) / 4);
    case 18:
      return PercentileExclusiveOf(all.numbers, k);
    default:
      return PercentileExclusiveOf(all.numbers, std::trunc(k) / 4);
  }
}

const std::array kSumTable = {
    Function{"SUM", "|R", 1, kManyArguments, [](Call& c) { return Num(SumOf(c.Numbers())); }},
    Function{"PRODUCT", "|R", 1, kManyArguments,
             [](Call& c) { return Operand(ProductOf(c.Numbers())); }},
    Function{"SUMSQ", "|R", 1, kManyArguments,
             [](Call& c) {
               NumberList numbers = c.Numbers();
               for (double& number : numbers) number *= number;
               return Num(SumOf(numbers));
             }},
    Function{"SUMPRODUCT", "|R", 1, kManyArguments, RunSumProduct},
    Function{"SUMX2MY2", "R", 2, 2, [](Call& c) { return RunPairs(c, '-'); }},
    Function{"SUMX2PY2", "R", 2, 2, [](Call& c) { return RunPairs(c, '+'); }},
    Function{"SUMXMY2", "R", 2, 2, [](Call& c) { return RunPairs(c, 'd'); }},
    Function{"COUNT", "|R", 1, kManyArguments, RunCount},
    Function{"COUNTA", "|R", 1, kManyArguments, RunCountA},
    Function{"COUNTBLANK", "R", 1, 1, RunCountBlank},
    Function{"AVERAGE", "|R", 1, kManyArguments,
             [](Call& c) { return Operand(AverageOf(c.Numbers())); }},
    Function{"AVERAGEA", "|R", 1, kManyArguments,
             [](Call& c) { return Operand(AverageOf(c.AllNumbers())); }},
    Function{"MIN", "|R", 1, kManyArguments, [](Call& c) { return Operand(MinOf(c.Numbers())); }},
    Function{"MAX", "|R", 1, kManyArguments, [](Call& c) { return Operand(MaxOf(c.Numbers())); }},
    Function{"MINA", "|R", 1, kManyArguments,
             [](Call& c) { return Operand(MinOf(c.AllNumbers())); }},
    Function{"MAXA", "|R", 1, kManyArguments,
             [](Call& c) { return Operand(MaxOf(c.AllNumbers())); }},
    Function{"SUBTOTAL", "V|R", 2, kManyArguments, RunSubtotal},
    Function{"AGGREGATE", "VV|R", 3, kManyArguments, RunAggregate},
};

}  // namespace

FunctionList SumFunctions() {
  return kSumTable;
}

}  // namespace viv::formula
