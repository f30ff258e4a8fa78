#include <algorithm>

#include "tools/formula/call.h"
#include "tools/formula/evaluator.h"
#include "tools/formula/formula.h"
#include "tools/formula/grid.h"
#include "tools/formula/parser.h"

namespace viv::formula {
namespace {

// A cell being computed. While it waits for an area, the cells of the area are computed above it on
// the stack, one at a time; `next` says how far that went.
struct Frame {
  std::size_t cell = 0;
  Tree tree;
  std::optional<Area> pending;
  int next_row = 0;
  std::int64_t steps_left = 0;
};

constexpr std::size_t kFramesMax = 2'000'000;
constexpr std::size_t kTreesKept = 4096;  // a longer chain reads its formulas again

class Recalculator {
 public:
  Recalculator(const CellSource& source, const CalculationOptions& options)
      : options_(options),
        grid_(source),
        evaluator_(grid_, options),
        total_left_(options.total_steps_max) {}

  Recalculation Run();
  // The one cell alone, with what it needs.
  Value Only(const CellAddress& at);

 private:
  void Compute(std::size_t cell);
  bool Begin(std::size_t cell);
  void Advance();
  std::size_t NextPending(Frame& frame);
  void EndCircularReference(std::size_t cell);
  void Finish(std::size_t cell, Value value);

  const CalculationOptions& options_;
  Grid grid_;
  Evaluator evaluator_;
  std::int64_t total_left_;
  std::vector<Frame> stack_;
  Recalculation out_;
};

constexpr std::size_t kNoCell = static_cast<std::size_t>(-1);

void Recalculator::Finish(std::size_t cell, Value value) {
  GridCell& done = grid_.cells()[cell];
  done.value = std::move(value);
  grid_.Settle(done, CellState::kDone);
}

// False: the cell has its value already, for its formula is none.
bool Recalculator::Begin(std::size_t cell) {
  GridCell& begun = grid_.cells()[cell];
  Result<Tree> tree = ParseFormula(begun.formula);
  total_left_ -= static_cast<std::int64_t>(begun.formula.size());
  if (!tree) {
    Finish(cell, ErrorKind::kName);
    return false;
  }
  begun.state = CellState::kRunning;
  Frame frame;
  frame.cell = cell;
  frame.tree = std::move(*tree);
  frame.steps_left = options_.formula_steps_max;
  stack_.push_back(std::move(frame));
  return true;
}

// The next cell of the area the frame waits for that has no value yet, or kNoCell.
std::size_t Recalculator::NextPending(Frame& frame) {
  Area rest = *frame.pending;
  rest.first_row = std::max(rest.first_row, frame.next_row);
  std::size_t found = kNoCell;
  std::int64_t visited = 0;
  grid_.ForEach(rest, [&](const GridCell& cell) {
    ++visited;
    frame.next_row = cell.address.row;
    if (cell.state != CellState::kWaiting && cell.state != CellState::kRunning) return true;
    found = static_cast<std::size_t>(&cell - grid_.cells().data());
    return false;
  });
  total_left_ -= visited;
  return found;
}

// The cells from `cell` to the top of the stack need each other.
void Recalculator::EndCircularReference(std::size_t cell) {
  while (!stack_.empty()) {
    std::size_t top = stack_.back().cell;
    stack_.pop_back();
    Finish(top, ErrorKind::kReference);
    out_.circular.push_back(grid_.cells()[top].address);
    if (top == cell) return;
  }
}

void Recalculator::Advance() {
  Frame& frame = stack_.back();
  if (frame.pending) {
    std::size_t needed = NextPending(frame);
    if (needed != kNoCell && grid_.cells()[needed].state == CellState::kRunning)
      return EndCircularReference(needed);
    if (needed != kNoCell) {
      Begin(needed);
      return;
    }
    frame.pending.reset();
  }
  const GridCell& cell = grid_.cells()[frame.cell];
  if (!frame.tree) frame.tree = std::move(*ParseFormula(cell.formula));
  std::int64_t allowed = std::min(frame.steps_left, total_left_);
  evaluator_.Refill(allowed);
  Value value =
      evaluator_.Show(*frame.tree, cell.address, cell.is_array ? Want::kArray : Want::kValue);
  std::int64_t used = allowed - evaluator_.steps_left();
  total_left_ -= used;
  frame.steps_left -= used;
  if (evaluator_.exhausted()) {
    if (total_left_ <= 0) return;  // the whole computation ends, and this cell has no value
    value = ErrorKind::kNumber;
  } else if (evaluator_.waits_for()) {
    frame.pending = evaluator_.waits_for();
    frame.next_row = 0;
    if (stack_.size() > kTreesKept) frame.tree.reset();
    return;
  }
  std::size_t done = frame.cell;
  stack_.pop_back();
  Finish(done, std::move(value));
}

void Recalculator::Compute(std::size_t cell) {
  if (grid_.cells()[cell].state != CellState::kWaiting || !Begin(cell)) return;
  while (!stack_.empty() && total_left_ > 0 && stack_.size() < kFramesMax) Advance();
  if (stack_.empty()) return;
  for (const Frame& frame : stack_) {
    grid_.cells()[frame.cell].value = ErrorKind::kNumber;
    grid_.Settle(grid_.cells()[frame.cell], CellState::kUnfinished);
  }
  stack_.clear();
}

Recalculation Recalculator::Run() {
  for (std::size_t i = 0; i < grid_.cells().size() && total_left_ > 0; ++i) Compute(i);
  for (const GridCell& cell : grid_.cells()) {
    if (cell.formula.empty()) continue;
    if (cell.state == CellState::kDone) {
      out_.values.emplace_back(cell.address, cell.value);
    } else {
      out_.unfinished.push_back(cell.address);
    }
  }
  std::sort(out_.circular.begin(), out_.circular.end());
  return std::move(out_);
}

Value Recalculator::Only(const CellAddress& at) {
  const GridCell* cell = grid_.Find(at);
  if (!cell) return ErrorKind::kReference;
  Compute(static_cast<std::size_t>(cell - grid_.cells().data()));
  return cell->value;
}

// A workbook with one more cell, which stands where the formula is computed.
class WithFormula : public CellSource {
 public:
  WithFormula(const CellSource& source, CellAddress at, std::string_view formula)
      : source_(source), at_(at), formula_(formula) {}

  std::vector<std::string> SheetNames() const override { return source_.SheetNames(); }
  void ForEachCell(int sheet, const Visit& visit) const override {
    source_.ForEachCell(sheet, [&](int row, int column, const Cell& cell) {
      if (CellAddress{sheet, row, column} != at_) visit(row, column, cell);
    });
    if (sheet != at_.sheet) return;
    Cell cell;
    cell.formula = formula_;
    visit(at_.row, at_.column, cell);
  }
  std::optional<std::string> DefinedName(std::string_view name, int sheet) const override {
    return source_.DefinedName(name, sheet);
  }
  std::vector<Table> Tables() const override { return source_.Tables(); }

 private:
  const CellSource& source_;
  CellAddress at_;
  std::string formula_;
};

}  // namespace

Recalculation Recalculate(const CellSource& source, const CalculationOptions& options) {
  return Recalculator(source, options).Run();
}

Value Evaluate(const CellSource& source,
               CellAddress at,
               std::string_view formula,
               const CalculationOptions& options) {
  if (Status status = CheckSyntax(formula); !status) return ErrorKind::kName;
  WithFormula workbook(source, at, formula);
  return Recalculator(workbook, options).Only(at);
}

Status CheckSyntax(std::string_view formula) {
  Result<Tree> tree = ParseFormula(formula);
  if (!tree) return PassUp(std::move(tree).error());
  return {};
}

}  // namespace viv::formula
