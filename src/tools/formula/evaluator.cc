#include "tools/formula/evaluator.h"

#include <cmath>

#include "base/text.h"
#include "tools/formula/call.h"
#include "tools/formula/convert.h"
#include "tools/formula/day_count.h"

namespace viv::formula {
namespace {

constexpr int kEvaluationDepthMax = 400;

// Area references in a fixed order, whichever end was written first.
Area MakeArea(int sheet, const AreaRef& ref) {
  Area area;
  area.sheet = sheet;
  bool all_rows = ref.form == AreaForm::kColumns, all_columns = ref.form == AreaForm::kRows;
  area.first_row = all_rows ? 1 : std::min(ref.first.row, ref.last.row);
  area.last_row = all_rows ? kRowMax : std::max(ref.first.row, ref.last.row);
  area.first_column = all_columns ? 1 : std::min(ref.first.column, ref.last.column);
  area.last_column = all_columns ? kColumnMax : std::max(ref.first.column, ref.last.column);
  return area;
}

std::uint64_t RandomSeed(std::uint64_t wanted) {
  if (wanted != 0) return wanted;
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

}  // namespace

Evaluator::Evaluator(const Grid& grid, const CalculationOptions& options)
    : grid_(grid),
      lines_(grid),
      now_((options.now > 0 ? options.now : SerialNow()) -
           (options.dates_from_1904 ? kDaysTo1904 : 0)),
      dates_from_1904_(options.dates_from_1904),
      random_(RandomSeed(options.seed)) {}

double Evaluator::Random() {
  return static_cast<double>(random_() >> 11) * 0x1.0p-53;
}

bool Evaluator::Charge(std::int64_t steps) {
  // Never below nothing: what is asked for in one go was not done.
  steps_left_ = steps < steps_left_ ? steps_left_ - steps : 0;
  return !halted();
}

Value Evaluator::Show(const Node& tree, const CellAddress& at, Want want) {
  waits_for_.reset();
  at_ = at;
  depth_ = 0;
  Scope scope;
  scope.want = want;
  Operand result = Run(tree, scope);
  if (halted()) return ErrorKind::kNumber;
  Value shown = want == Want::kArray ? First(result) : ToValue(result);
  if (halted()) return ErrorKind::kNumber;
  if (IsBlank(shown)) return 0.0;  // a cell that refers to an empty one shows 0
  return shown;
}

Operand Evaluator::Run(const Node& node, const Scope& scope) {
  if (!Charge(1)) return Value(ErrorKind::kNumber);
  if (depth_ >= kEvaluationDepthMax) return Value(ErrorKind::kValue);
  ++depth_;
  Operand result = Value(ErrorKind::kValue);
  switch (node.kind) {
    case NodeKind::kLiteral:
      result = node.value;
      break;
    case NodeKind::kArea:
      result = RunArea(node);
      break;
    case NodeKind::kName:
      result = RunName(node, scope);
      break;
    case NodeKind::kTable:
      result = RunTable(node);
      break;
    case NodeKind::kCall:
      result = RunCall(node, scope);
      break;
    case NodeKind::kChain:
      result = RunChain(node, scope);
      break;
    case NodeKind::kPrefix:
      result = RunPrefix(node, scope);
      break;
    case NodeKind::kPercent:
      result = RunPercent(node, scope);
      break;
    case NodeKind::kArray: {
      Array array(static_cast<int>(node.children.size()) / node.columns, node.columns);
      for (std::size_t i = 0; i < array.cells.size(); ++i) array.cells[i] = node.children[i]->value;
      result = std::move(array);
      break;
    }
    case NodeKind::kRange:
    case NodeKind::kUnion:
    case NodeKind::kIntersection:
      result = RunReferences(node, scope);
      break;
    case NodeKind::kMissing:
      result = Missing{};
      break;
  }
  --depth_;
  return result;
}

std::optional<int> Evaluator::SheetOf(const Node& node) const {
  return node.has_sheet ? grid_.FindSheet(node.sheet) : std::optional<int>(at_.sheet);
}

Operand Evaluator::RunArea(const Node& node) const {
  std::optional<int> sheet = SheetOf(node);
  if (!sheet || *sheet >= grid_.sheets()) return Value(ErrorKind::kReference);
  return Reference{MakeArea(*sheet, node.area)};
}

Operand Evaluator::RunName(const Node& node, const Scope& scope) {
  std::string name = UpperText(node.name);
  if (!node.has_sheet)
    for (const LocalNames* local = scope.names; local; local = local->outer)
      if (local->name == name) return *local->value;
  std::optional<int> sheet = SheetOf(node);
  if (!sheet) return Value(ErrorKind::kReference);
  if (const Table* table = grid_.FindTable(node.name)) {
    Node whole;
    whole.kind = NodeKind::kTable;
    whole.name = table->name;
    return RunTable(whole);
  }
  std::optional<std::string> text = grid_.source().DefinedName(node.name, *sheet);
  if (!text) return Value(ErrorKind::kName);
  std::string_view formula = *text;
  if (!formula.empty() && formula[0] == '=') formula.remove_prefix(1);
  if (!Charge(static_cast<std::int64_t>(formula.size()))) return Value(ErrorKind::kNumber);
  Result<Tree> tree = ParseFormula(formula);
  if (!tree) return Value(ErrorKind::kName);
  Scope outside = scope;
  outside.names = nullptr;
  return Run(**tree, outside);
}

Operand Evaluator::RunReferences(const Node& node, const Scope& scope) {
  Reference all;
  for (const auto& child : node.children) {
    Operand operand = Run(*child, scope);
    const auto* reference = std::get_if<Reference>(&operand);
    if (!reference) {
      const auto* value = std::get_if<Value>(&operand);
      if (value && IsError(*value)) return *value;
      return Value(ErrorKind::kValue);
    }
    if (node.kind != NodeKind::kUnion && reference->size() != 1) return Value(ErrorKind::kValue);
    all.insert(all.end(), reference->begin(), reference->end());
    if (all.size() > 1024) return Value(ErrorKind::kValue);
  }
  if (node.kind == NodeKind::kUnion) return all;
  Area a = all[0];
  const Area& b = all[1];
  if (a.sheet != b.sheet) return Value(ErrorKind::kValue);
  if (node.kind == NodeKind::kRange) {
    a = {a.sheet, std::min(a.first_row, b.first_row), std::min(a.first_column, b.first_column),
         std::max(a.last_row, b.last_row), std::max(a.last_column, b.last_column)};
  } else {
    a = {a.sheet, std::max(a.first_row, b.first_row), std::max(a.first_column, b.first_column),
         std::min(a.last_row, b.last_row), std::min(a.last_column, b.last_column)};
    if (a.first_row > a.last_row || a.first_column > a.last_column) return Value(ErrorKind::kNull);
  }
  return Reference{a};
}

Value Evaluator::Read(const CellAddress& cell) {
  if (!Charge(1)) return ErrorKind::kNumber;
  const GridCell* found = grid_.Find(cell);
  if (!found) return Blank{};
  if (found->state == CellState::kWaiting || found->state == CellState::kRunning) {
    waits_for_ = Area{cell.sheet, cell.row, cell.column, cell.row, cell.column};
    return ErrorKind::kNumber;
  }
  return found->value;
}

bool Evaluator::Ready(const Area& area) {
  if (halted()) return false;
  if (grid_.HasWaiting(area)) waits_for_ = area;
  return !waits_for_;
}

CachedLine* Evaluator::LineOf(const Area& area) {
  if (!Ready(area) || !Charge(8)) return nullptr;
  return &lines_.Get(area);
}

Area Evaluator::Clipped(const Area& area) const {
  Area out = area;
  if (out.last_row == kRowMax && out.rows() > 1)
    out.last_row = std::max(out.first_row, grid_.used_rows());
  if (out.last_column == kColumnMax && out.columns() > 1)
    out.last_column = std::max(out.first_column, grid_.used_columns());
  return out;
}

Array Evaluator::Materialise(const Area& whole) {
  Area area = Clipped(whole);
  std::int64_t size = static_cast<std::int64_t>(area.rows()) * area.columns();
  Array out(1, 1);
  out.At(0, 0) = ErrorKind::kNumber;
  if (size > kArrayCellsMax || !Ready(area) || !Charge(size)) return out;
  out = Array(area.rows(), area.columns());
  grid_.ForEach(area, [&](const GridCell& cell) {
    out.At(cell.address.row - area.first_row, cell.address.column - area.first_column) = cell.value;
    return true;
  });
  return out;
}

Array Evaluator::ToArray(const Operand& operand) {
  if (const auto* array = std::get_if<Array>(&operand)) {
    Charge(static_cast<std::int64_t>(array->cells.size()));
    return *array;
  }
  const auto* reference = std::get_if<Reference>(&operand);
  if (reference && reference->size() == 1) return Materialise((*reference)[0]);
  Array out(1, 1);
  if (reference) out.At(0, 0) = ErrorKind::kValue;
  if (const auto* value = std::get_if<Value>(&operand)) out.At(0, 0) = *value;
  return out;
}

Value Evaluator::First(const Operand& operand) {
  if (const auto* reference = std::get_if<Reference>(&operand)) {
    if (reference->empty()) return ErrorKind::kReference;
    const Area& area = (*reference)[0];
    return Read({area.sheet, area.first_row, area.first_column});
  }
  return ToValue(operand);
}

Value Evaluator::ToValue(const Operand& operand) {
  if (const auto* value = std::get_if<Value>(&operand)) return *value;
  if (const auto* array = std::get_if<Array>(&operand))
    return array->cells.empty() ? Value(ErrorKind::kCalculation) : array->cells[0];
  const auto* reference = std::get_if<Reference>(&operand);
  if (!reference) return Blank{};
  if (reference->size() != 1) return ErrorKind::kValue;
  const Area& area = (*reference)[0];
  CellAddress cell{area.sheet, area.first_row, area.first_column};
  bool in_rows = area.first_row <= at_.row && at_.row <= area.last_row;
  bool in_columns = area.first_column <= at_.column && at_.column <= area.last_column;
  if (area.rows() > 1) {
    if (!in_rows || (area.columns() > 1 && !in_columns)) return ErrorKind::kValue;
    cell.row = at_.row;
  }
  if (area.columns() > 1) {
    if (!in_columns) return ErrorKind::kValue;
    cell.column = at_.column;
  }
  return Read(cell);
}

std::optional<Reference> Evaluator::ParseReferenceText(std::string_view text) {
  if (!Charge(static_cast<std::int64_t>(text.size()))) return std::nullopt;
  Result<Tree> tree = ParseFormula(text);
  if (!tree) return std::nullopt;
  NodeKind kind = (*tree)->kind;
  if (kind != NodeKind::kArea && kind != NodeKind::kName && kind != NodeKind::kTable)
    return std::nullopt;
  Operand operand = Run(**tree, Scope{});
  const auto* reference = std::get_if<Reference>(&operand);
  return reference ? std::optional<Reference>(*reference) : std::nullopt;
}

}  // namespace viv::formula
