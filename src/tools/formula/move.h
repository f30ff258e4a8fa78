#pragma once
// Rewrites the references of a formula when cells move, leaving every other character as it is.
// Texts stand without the "=" that begins them; what is no formula comes back unchanged.

#include <string>
#include <string_view>

namespace viv::formula {

// The formula as it reads when copied `rows` down and `columns` to the right: what has no $ moves
// along, and what falls off the sheet becomes #REF!.
std::string Translate(std::string_view formula, int rows, int columns);

enum class Axis { kRows, kColumns };
enum class Change { kInsert, kDelete };

struct SheetChange {
  std::string_view sheet;  // the sheet that changes
  Axis axis = Axis::kRows;
  Change change = Change::kInsert;
  int at = 1;  // the first row or column that is new, or goes
  int count = 1;
};

// The formula of a cell on `own_sheet` after rows or columns of a sheet were inserted or deleted.
std::string Adjust(std::string_view formula, std::string_view own_sheet, const SheetChange& change);

// The formula after a sheet got a new name.
std::string RenameSheet(std::string_view formula, std::string_view from, std::string_view to);

// The formula after a sheet was deleted: what refers to it becomes #REF!.
std::string ForgetSheet(std::string_view formula, std::string_view sheet);

// A sheet's name as it stands before "!": in quotes where it needs them.
std::string QuotedSheetName(std::string_view name);

}  // namespace viv::formula
