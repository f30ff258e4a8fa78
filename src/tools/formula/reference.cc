#include "tools/formula/reference.h"

#include <algorithm>

namespace viv::formula {
namespace {

bool IsLetter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool IsDecimal(char c) {
  return c >= '0' && c <= '9';
}

// One end of a reference: a cell, a column alone or a row alone.
struct ReferenceEnd {
  CellRef cell;
  bool has_row = false;
  bool has_column = false;
  std::size_t length = 0;
};

std::optional<ReferenceEnd> ReadEnd(std::string_view text) {
  ReferenceEnd end;
  std::size_t at = 0;
  bool fixed = at < text.size() && text[at] == '$';
  std::size_t letters = at + (fixed ? 1 : 0);
  std::size_t after = letters;
  while (after < text.size() && IsLetter(text[after]) && after - letters < 4) ++after;
  if (after > letters) {
    std::optional<int> column = FindColumn(text.substr(letters, after - letters));
    if (!column) return std::nullopt;
    end.cell.column = *column;
    end.cell.column_fixed = fixed;
    end.has_column = true;
    at = after;
    fixed = at < text.size() && text[at] == '$';
  }
  std::size_t digits = at + (fixed ? 1 : 0);
  int row = 0;
  for (after = digits; after < text.size() && IsDecimal(text[after]); ++after) {
    row = row * 10 + (text[after] - '0');
    if (row > kRowMax) return std::nullopt;
  }
  if (after > digits) {
    if (row == 0) return std::nullopt;
    end.cell.row = row;
    end.cell.row_fixed = fixed;
    end.has_row = true;
    at = after;
  }
  if (!end.has_row && !end.has_column) return std::nullopt;
  end.length = at;
  return end;
}

bool EndsHere(std::string_view text, std::size_t at) {
  return at >= text.size() || !(IsNameCharacter(text[at]) || text[at] == '$');
}

std::string EndText(const CellRef& cell, AreaForm form) {
  std::string out;
  if (form != AreaForm::kRows) out += (cell.column_fixed ? "$" : "") + ColumnName(cell.column);
  if (form != AreaForm::kColumns) out += (cell.row_fixed ? "$" : "") + std::to_string(cell.row);
  return out;
}

}  // namespace

bool IsNameCharacter(char c) {
  return IsLetter(c) || IsDecimal(c) || c == '_' || c == '.' || c == '\\' || c == '?' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string ColumnName(int column) {
  std::string name;
  for (; column > 0; column = (column - 1) / 26)
    name.insert(name.begin(), static_cast<char>('A' + (column - 1) % 26));
  return name;
}

std::optional<int> FindColumn(std::string_view letters) {
  if (letters.empty() || letters.size() > 3) return std::nullopt;
  int column = 0;
  for (char c : letters) {
    if (!IsLetter(c)) return std::nullopt;
    column = column * 26 + (c >= 'a' ? c - 'a' : c - 'A') + 1;
  }
  return column <= kColumnMax ? std::optional<int>(column) : std::nullopt;
}

std::optional<ReadReference> ReadReferenceAt(std::string_view text) {
  std::optional<ReferenceEnd> first = ReadEnd(text);
  if (!first || !EndsHere(text, first->length)) return std::nullopt;
  std::size_t colon = first->length;
  if (colon < text.size() && text[colon] == ':') {
    std::optional<ReferenceEnd> last = ReadEnd(text.substr(colon + 1));
    bool fits = last && last->has_row == first->has_row && last->has_column == first->has_column;
    std::size_t length = fits ? colon + 1 + last->length : 0;
    // "A1:B2(" is a range operator before a function, not an area.
    if (fits && EndsHere(text, length) && (length >= text.size() || text[length] != '(')) {
      AreaForm form = !first->has_row      ? AreaForm::kColumns
                      : !first->has_column ? AreaForm::kRows
                                           : AreaForm::kArea;
      return ReadReference{{form, first->cell, last->cell}, length};
    }
  }
  if (!first->has_row || !first->has_column) return std::nullopt;
  return ReadReference{{AreaForm::kCell, first->cell, first->cell}, first->length};
}

std::optional<AreaRef> ParseReference(std::string_view text) {
  std::optional<ReadReference> read = ReadReferenceAt(text);
  if (!read || read->length != text.size()) return std::nullopt;
  return read->area;
}

std::string ReferenceText(const AreaRef& area) {
  std::string out = EndText(area.first, area.form);
  if (area.form != AreaForm::kCell) out += ":" + EndText(area.last, area.form);
  return out;
}

}  // namespace viv::formula
