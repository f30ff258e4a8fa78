#include "tools/formula/move.h"

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "tools/formula/lexer.h"

namespace viv::formula {
namespace {

// Replaces what stands from the token's beginning to its end; nothing leaves it as it is.
using Rewrite = std::function<std::optional<std::string>(const Token& token)>;

std::string RewriteTokens(std::string_view formula, const Rewrite& rewrite) {
  Result<std::vector<Token>> tokens = Tokenize(formula);
  if (!tokens) return std::string(formula);
  std::string out;
  std::size_t copied = 0;
  for (const Token& token : *tokens) {
    std::optional<std::string> text = rewrite(token);
    if (!text) continue;
    out += formula.substr(copied, token.begin - copied);
    out += *text;
    copied = token.end;
  }
  return out += formula.substr(copied);
}

std::string SheetPart(std::string_view formula, const Token& token) {
  return std::string(formula.substr(token.begin, token.body - token.begin));
}

bool Shift(int& position, bool fixed, int by, int max) {
  if (fixed) return true;
  long long moved = static_cast<long long>(position) + by;
  if (moved < 1 || moved > max) return false;
  position = static_cast<int>(moved);
  return true;
}

bool ShiftCell(CellRef& cell, AreaForm form, int rows, int columns) {
  if (form != AreaForm::kColumns && !Shift(cell.row, cell.row_fixed, rows, kRowMax)) return false;
  return form == AreaForm::kRows || Shift(cell.column, cell.column_fixed, columns, kColumnMax);
}

// The positions first..last of one axis after the change; false when all of them are gone.
bool AdjustSpan(int& first, int& last, const SheetChange& change, int max) {
  if (first > last) std::swap(first, last);
  long long at = change.at, count = change.count, from = first, to = last;
  if (change.change == Change::kInsert) {
    if (from >= at) from += count;
    if (to >= at) to += count;
  } else {
    long long end = at + count;  // the first that stays
    if (from >= at && to < end) return false;
    if (from >= end) {
      from -= count;
    } else if (from >= at) {
      from = at;
    }
    if (to >= end) {
      to -= count;
    } else if (to >= at) {
      to = at - 1;
    }
  }
  if (from > max) return false;
  first = static_cast<int>(from);
  last = static_cast<int>(std::min<long long>(to, max));
  return true;
}

bool AdjustArea(AreaRef& area, const SheetChange& change) {
  bool rows = change.axis == Axis::kRows;
  if (rows && area.form == AreaForm::kColumns) return true;
  if (!rows && area.form == AreaForm::kRows) return true;
  if (rows) return AdjustSpan(area.first.row, area.last.row, change, kRowMax);
  return AdjustSpan(area.first.column, area.last.column, change, kColumnMax);
}

bool MayStandUnquoted(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9') || name[0] == '.') return false;
  if (!std::all_of(name.begin(), name.end(), [](char c) { return IsNameCharacter(c); }))
    return false;
  if (name.find('\\') != std::string_view::npos || name.find('?') != std::string_view::npos)
    return false;
  // A name that reads like a cell or a truth value would be taken for one.
  return !ParseReference(name) && !EqualsIgnoreCase(name, "TRUE") &&
         !EqualsIgnoreCase(name, "FALSE") && !EqualsIgnoreCase(name, "R") &&
         !EqualsIgnoreCase(name, "C");
}

}  // namespace

std::string QuotedSheetName(std::string_view name) {
  if (MayStandUnquoted(name)) return std::string(name);
  std::string out = "'";
  for (char c : name) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

std::string Translate(std::string_view formula, int rows, int columns) {
  return RewriteTokens(formula, [&](const Token& token) -> std::optional<std::string> {
    if (token.kind != TokenKind::kReference) return std::nullopt;
    AreaRef area = token.area;
    bool stays = ShiftCell(area.first, area.form, rows, columns) &&
                 ShiftCell(area.last, area.form, rows, columns);
    return SheetPart(formula, token) + (stays ? ReferenceText(area) : "#REF!");
  });
}

std::string Adjust(std::string_view formula,
                   std::string_view own_sheet,
                   const SheetChange& change) {
  if (change.count < 1 || change.at < 1) return std::string(formula);
  return RewriteTokens(formula, [&](const Token& token) -> std::optional<std::string> {
    if (token.kind != TokenKind::kReference) return std::nullopt;
    std::string_view sheet = token.has_sheet ? std::string_view(token.sheet) : own_sheet;
    if (!EqualsIgnoreCase(sheet, change.sheet)) return std::nullopt;
    AreaRef area = token.area;
    if (!AdjustArea(area, change)) return SheetPart(formula, token) + "#REF!";
    return SheetPart(formula, token) + ReferenceText(area);
  });
}

std::string RenameSheet(std::string_view formula, std::string_view from, std::string_view to) {
  return RewriteTokens(formula, [&](const Token& token) -> std::optional<std::string> {
    if (!token.has_sheet || !EqualsIgnoreCase(token.sheet, from)) return std::nullopt;
    return QuotedSheetName(to) + "!" +
           std::string(formula.substr(token.body, token.end - token.body));
  });
}

std::string ForgetSheet(std::string_view formula, std::string_view sheet) {
  return RewriteTokens(formula, [&](const Token& token) -> std::optional<std::string> {
    if (!token.has_sheet || !EqualsIgnoreCase(token.sheet, sheet)) return std::nullopt;
    return "#REF!";
  });
}

}  // namespace viv::formula
