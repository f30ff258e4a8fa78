#pragma once
// References as they are written: A1, $B$2:C9, A:C, 1:3. Columns and rows count from 1.

#include <optional>
#include <string>
#include <string_view>

namespace viv::formula {

constexpr int kRowMax = 1'048'576;
constexpr int kColumnMax = 16'384;

std::string ColumnName(int column);                       // 28 is AB
std::optional<int> FindColumn(std::string_view letters);  // of any case; none beyond XFD

struct CellRef {
  int row = 1;
  int column = 1;
  bool row_fixed = false;  // "$" before it
  bool column_fixed = false;
};

enum class AreaForm { kCell, kArea, kColumns, kRows };

struct AreaRef {
  AreaForm form = AreaForm::kCell;
  CellRef first, last;  // as written: not ordered; a cell has them equal
};

// Reads a reference at the beginning of `text`; nothing when there is none. What follows it is the
// caller's business: "A1B" begins with no reference, "A1:" begins with the cell A1.
struct ReadReference {
  AreaRef area;
  std::size_t length = 0;
};
std::optional<ReadReference> ReadReferenceAt(std::string_view text);

// The whole of `text` as a reference.
std::optional<AreaRef> ParseReference(std::string_view text);

std::string ReferenceText(const AreaRef& area);

// Letters, digits and what else may stand in a name or a function's name.
bool IsNameCharacter(char c);

}  // namespace viv::formula
