// Structured references: Sales[Amount], Sales[[#Totals],[Amount]], [@Price], Sales[#All].

#include <algorithm>

#include "base/text.h"
#include "tools/formula/evaluator.h"

namespace viv::formula {
namespace {

struct TableParts {
  bool all = false, headers = false, totals = false, data = false, this_row = false;
  std::vector<std::string> columns;
  bool understood = true;
};

std::string WithoutQuotes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return out;
}

void ReadPart(std::string_view part, TableParts& parts) {
  part = Trim(part);
  if (!part.empty() && part[0] == '@') {
    parts.this_row = true;
    part = Trim(part.substr(1));
    if (part.size() > 1 && part.front() == '[' && part.back() == ']')
      part = part.substr(1, part.size() - 2);
    if (part.empty()) return;
  }
  if (part.empty()) return;
  if (part[0] != '#') {
    parts.columns.push_back(WithoutQuotes(part));
  } else if (EqualsIgnoreCase(part, "#All")) {
    parts.all = true;
  } else if (EqualsIgnoreCase(part, "#Headers")) {
    parts.headers = true;
  } else if (EqualsIgnoreCase(part, "#Totals")) {
    parts.totals = true;
  } else if (EqualsIgnoreCase(part, "#Data")) {
    parts.data = true;
  } else if (EqualsIgnoreCase(part, "#This Row")) {
    parts.this_row = true;
  } else {
    parts.understood = false;
  }
}

// "Amount", "@Amount", "[#Totals],[Amount]", "[First]:[Last]", "@[First]:[Last]".
TableParts ReadParts(std::string_view text) {
  TableParts parts;
  text = Trim(text);
  if (!text.empty() && text[0] == '@' && text.find("]:[") != std::string_view::npos) {
    parts.this_row = true;
    text.remove_prefix(1);
  }
  if (text.empty() || text[0] != '[') {
    ReadPart(text, parts);
    return parts;
  }
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '[') {
      if (std::string_view(",: ").find(text[i]) == std::string_view::npos) parts.understood = false;
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && text[end] != ']') end += text[end] == '\'' ? 2 : 1;
    ReadPart(text.substr(i + 1, std::min(end, text.size()) - i - 1), parts);
    i = end + 1;
  }
  return parts;
}

}  // namespace

Operand Evaluator::RunTable(const Node& node) const {
  const Table* table = node.name.empty() ? grid_.TableAround(at_) : grid_.FindTable(node.name);
  if (!table) return Value(node.name.empty() ? ErrorKind::kValue : ErrorKind::kName);
  TableParts parts = ReadParts(node.text);
  if (!parts.understood || parts.columns.size() > 2) return Value(ErrorKind::kReference);
  if (table->sheet < 0 || table->sheet >= grid_.sheets()) return Value(ErrorKind::kReference);
  Area area{table->sheet, table->first_row, table->first_column, table->last_row,
            table->last_column};
  int data_first = table->first_row + (table->has_header ? 1 : 0);
  int data_last = table->last_row - (table->has_totals ? 1 : 0);
  if (parts.this_row) {
    if (at_.sheet != table->sheet || at_.row < data_first || at_.row > data_last)
      return Value(ErrorKind::kValue);
    area.first_row = area.last_row = at_.row;
  } else if (!parts.all) {
    bool with_data = parts.data || (!parts.headers && !parts.totals);
    area.first_row = parts.headers ? table->first_row : with_data ? data_first : table->last_row;
    area.last_row = parts.totals ? table->last_row : with_data ? data_last : table->first_row;
  }
  int first = -1, last = -1;
  for (const std::string& name : parts.columns) {
    auto same = [&](const std::string& column) { return EqualsIgnoreCase(column, name); };
    auto found = std::find_if(table->columns.begin(), table->columns.end(), same);
    if (found == table->columns.end()) return Value(ErrorKind::kReference);
    int column = table->first_column + static_cast<int>(found - table->columns.begin());
    first = first < 0 ? column : std::min(first, column);
    last = std::max(last, column);
  }
  if (first >= 0) {
    area.first_column = first;
    area.last_column = last;
  }
  if (area.first_row > area.last_row || area.first_column > area.last_column)
    return Value(ErrorKind::kReference);
  return Reference{area};
}

}  // namespace viv::formula
