#pragma once
// Computes the tree of a formula over a grid. When it needs a formula cell that has no value yet it
// stops and names the area: the caller computes that first and then starts over, so that chains of
// cells of any length need no stack. One thread.

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "tools/formula/formula.h"
#include "tools/formula/grid.h"
#include "tools/formula/line_cache.h"
#include "tools/formula/operand.h"
#include "tools/formula/parser.h"

namespace viv::formula {

// Where a formula is computed one value is wanted: a range stands for its cell in the formula's own
// row or column. Where an array is wanted, operators and functions work on each of its values.
enum class Want { kValue, kArray };

// The names that LET gives, innermost first.
struct LocalNames {
  std::string_view name;  // in capitals
  const Operand* value = nullptr;
  const LocalNames* outer = nullptr;
};

struct Scope {
  Want want = Want::kValue;
  const LocalNames* names = nullptr;
};

class Evaluator {
 public:
  Evaluator(const Grid& grid, const CalculationOptions& options);

  // What the formula of the cell `at` shows. After it, look at waits_for() first: when that names
  // an area, the value means nothing yet.
  Value Show(const Node& tree, const CellAddress& at, Want want);
  const std::optional<Area>& waits_for() const { return waits_for_; }
  bool exhausted() const { return steps_left_ <= 0; }
  std::int64_t steps_left() const { return steps_left_; }
  void Refill(std::int64_t steps) { steps_left_ = steps; }

  Operand Run(const Node& node, const Scope& scope);

  const Grid& grid() const { return grid_; }
  const CellAddress& at() const { return at_; }
  double now() const { return now_; }
  bool dates_from_1904() const { return dates_from_1904_; }
  double Random();  // [0, 1)

  // False when the work allowed is used up, or an area is waited for: stop and return anything.
  bool Charge(std::int64_t steps);
  bool halted() const { return waits_for_.has_value() || steps_left_ <= 0; }

  Value Read(const CellAddress& cell);
  // Whether all cells of the area have their values; otherwise computation halts.
  bool Ready(const Area& area);
  Array Materialise(const Area& area);
  // One row or column, all of whose cells have their values; nullptr when computation halts.
  CachedLine* LineOf(const Area& area);
  // Without the part of whole rows and columns beyond what any sheet uses.
  Area Clipped(const Area& area) const;

  Array ToArray(const Operand& operand);
  Value ToValue(
      const Operand& operand);  // one value: own row or column of a range, first of an array
  Value First(const Operand& operand);  // the upper left value

  std::optional<Reference> ParseReferenceText(std::string_view text);

 private:
  Operand RunArea(const Node& node) const;
  Operand RunName(const Node& node, const Scope& scope);
  Operand RunTable(const Node& node) const;
  Operand RunChain(const Node& node, const Scope& scope);
  Operand RunPrefix(const Node& node, const Scope& scope);
  Operand RunPercent(const Node& node, const Scope& scope);
  Operand RunReferences(const Node& node, const Scope& scope);
  Operand RunCall(const Node& node, const Scope& scope);
  std::optional<int> SheetOf(const Node& node) const;

  const Grid& grid_;
  LineCache lines_;
  CellAddress at_;
  double now_ = 0;
  bool dates_from_1904_ = false;
  std::mt19937_64 random_;
  std::int64_t steps_left_ = 0;
  std::optional<Area> waits_for_;
  int depth_ = 0;
};

Value Calculate(std::string_view op, const Value& left, const Value& right);

}  // namespace viv::formula
