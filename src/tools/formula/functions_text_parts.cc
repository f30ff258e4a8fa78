// Parts of texts: cutting, finding, splitting. Positions count characters from 1.

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/formula/functions.h"

namespace viv::formula {
namespace {

using Characters = std::vector<char32_t>;

Characters Slice(const Characters& text, double from, double count) {
  double size = static_cast<double>(text.size());
  from = std::clamp(from, 0.0, size);
  count = std::clamp(count, 0.0, size - from);
  auto begin = text.begin() + static_cast<std::ptrdiff_t>(from);
  return Characters(begin, begin + static_cast<std::ptrdiff_t>(count));
}

Operand RunLeft(Call& call) {
  Characters text = ToCharacters(call.Text(0));
  double count = std::trunc(call.Number(1, 1));
  return count < 0 ? Err(ErrorKind::kValue) : Txt(FromCharacters(Slice(text, 0, count)));
}

Operand RunRight(Call& call) {
  Characters text = ToCharacters(call.Text(0));
  double count = std::trunc(call.Number(1, 1)), size = static_cast<double>(text.size());
  if (count < 0) return Err(ErrorKind::kValue);
  return Txt(FromCharacters(Slice(text, size - std::min(count, size), count)));
}

Operand RunMid(Call& call) {
  Characters text = ToCharacters(call.Text(0));
  double from = std::trunc(call.Number(1)), count = std::trunc(call.Number(2));
  if (from < 1 || count < 0) return Err(ErrorKind::kValue);
  return Txt(FromCharacters(Slice(text, from - 1, count)));
}

Operand RunReplace(Call& call) {
  Characters text = ToCharacters(call.Text(0)), with = ToCharacters(call.Text(3));
  double from = std::trunc(call.Number(1)), count = std::trunc(call.Number(2));
  if (from < 1 || count < 0) return Err(ErrorKind::kValue);
  Characters out = Slice(text, 0, from - 1), tail = Slice(text, from - 1 + count, 1e9);
  out.insert(out.end(), with.begin(), with.end());
  out.insert(out.end(), tail.begin(), tail.end());
  return Txt(FromCharacters(out));
}

Operand RunFind(Call& call) {
  Characters wanted = ToCharacters(call.Text(0)), text = ToCharacters(call.Text(1));
  double from = std::trunc(call.Number(2, 1)), size = static_cast<double>(text.size());
  if (from < 1 || from > size + 1) return Err(ErrorKind::kValue);
  auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(from) - 1, text.end(),
                           wanted.begin(), wanted.end());
  if (found == text.end() && !wanted.empty()) return Err(ErrorKind::kValue);
  return Num(static_cast<double>(found - text.begin()) + 1);
}

// Whether the pattern, with its wildcards, fits what begins at `at`.
bool FitsAt(const Characters& pattern, const Characters& text, std::size_t at) {
  std::size_t p = 0, t = at, star = 0, star_text = 0;
  bool has_star = false;
  while (p < pattern.size()) {
    bool quoted = pattern[p] == '~' && p + 1 < pattern.size();
    if (!quoted && pattern[p] == '*') {
      has_star = true;
      star = ++p;
      star_text = t;
    } else if (t < text.size() &&
               ((!quoted && pattern[p] == '?') || pattern[quoted ? p + 1 : p] == text[t])) {
      p += quoted ? 2 : 1;
      ++t;
    } else if (has_star && star_text < text.size()) {
      p = star;
      t = ++star_text;
    } else {
      return false;
    }
  }
  return true;
}

Operand RunSearch(Call& call) {
  Characters wanted = ToCharacters(LowerText(call.Text(0)));
  Characters text = ToCharacters(LowerText(call.Text(1)));
  double from = std::trunc(call.Number(2, 1)), size = static_cast<double>(text.size());
  if (from < 1 || from > size + 1) return Err(ErrorKind::kValue);
  // A star may go back over the whole rest of the text at every place.
  bool has_star = std::find(wanted.begin(), wanted.end(), U'*') != wanted.end();
  std::size_t cost = 1 + wanted.size() * (has_star ? text.size() + 1 : 1) / 4;
  for (auto at = static_cast<std::size_t>(from) - 1; at <= text.size(); ++at) {
    if (!call.evaluator().Charge(static_cast<std::int64_t>(cost))) break;
    if (FitsAt(wanted, text, at)) return Num(static_cast<double>(at) + 1);
  }
  return Err(ErrorKind::kValue);
}

// Where the delimiter stands for the n-th time, from the end when n is negative.
std::optional<std::size_t> NthDelimiter(const std::string& text,
                                        const std::string& delimiter,
                                        int n) {
  std::vector<std::size_t> places;
  for (std::size_t at = text.find(delimiter); at != std::string::npos;
       at = text.find(delimiter, at + delimiter.size()))
    places.push_back(at);
  int count = static_cast<int>(places.size());
  int index = n > 0 ? n - 1 : count + n;
  if (n == 0 || index < 0 || index >= count) return std::nullopt;
  return places[static_cast<std::size_t>(index)];
}

Operand RunBeside(Call& call, bool after) {
  std::string text = call.Text(0), delimiter = call.Text(1);
  int n = call.Integer(2, 1);
  bool any_case = call.Number(3, 0) != 0;
  if (n == 0 || n < -100'000) return Err(ErrorKind::kValue);
  if (delimiter.empty()) return Txt(after == (n > 0) ? text : "");
  std::optional<std::size_t> at = any_case ? NthDelimiter(LowerText(text), LowerText(delimiter), n)
                                           : NthDelimiter(text, delimiter, n);
  if (!at || *at > text.size()) {
    if (call.Has(5)) return Operand(call.Scalar(5));
    if (call.Number(4, 0) != 0) return Txt(after == (n > 0) ? "" : text);
    return Err(ErrorKind::kNotAvailable);
  }
  return Txt(after ? text.substr(std::min(*at + delimiter.size(), text.size()))
                   : text.substr(0, *at));
}

std::vector<std::string> SplitBy(Call& call,
                                 const std::string& text,
                                 const std::string& delimiter,
                                 bool skip_empty) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (!delimiter.empty() && call.evaluator().Charge(1)) {
    std::size_t found = text.find(delimiter, at);
    if (found == std::string::npos) break;
    if (!skip_empty || found > at) out.push_back(text.substr(at, found - at));
    at = found + delimiter.size();
  }
  if (!skip_empty || at < text.size()) out.push_back(text.substr(at));
  return out;
}

Operand RunTextSplit(Call& call) {
  std::string text = call.Text(0), by_column = call.Text(1, ""), by_row = call.Text(2, "");
  bool skip_empty = call.Flag(3, false);
  std::vector<std::vector<std::string>> rows;
  std::size_t columns = 1;
  for (const std::string& row : SplitBy(call, text, by_row, skip_empty)) {
    rows.push_back(SplitBy(call, row, by_column, skip_empty));
    columns = std::max(columns, rows.back().size());
  }
  if (rows.empty()) return Err(ErrorKind::kCalculation);
  if (static_cast<std::int64_t>(rows.size() * columns) > kArrayCellsMax)
    return Err(ErrorKind::kNumber);
  Array out(static_cast<int>(rows.size()), static_cast<int>(columns));
  Value pad = call.Has(5) ? call.Scalar(5) : Value(ErrorKind::kNotAvailable);
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t column = 0; column < columns; ++column)
      out.At(static_cast<int>(row), static_cast<int>(column)) =
          column < rows[row].size() ? Value(rows[row][column]) : pad;
  return out;
}

const std::array kTextPartTable = {
    Function{"LEN", "V", 1, 1,
             [](Call& c) { return Num(static_cast<double>(ToCharacters(c.Text(0)).size())); }},
    Function{"LENB", "V", 1, 1, [](Call& c) { return Num(static_cast<double>(c.Text(0).size())); }},
    Function{"LEFT", "V", 1, 2, RunLeft},
    Function{"LEFTB", "V", 1, 2, RunLeft},
    Function{"RIGHT", "V", 1, 2, RunRight},
    Function{"RIGHTB", "V", 1, 2, RunRight},
    Function{"MID", "V", 3, 3, RunMid},
    Function{"MIDB", "V", 3, 3, RunMid},
    Function{"REPLACE", "V", 4, 4, RunReplace},
    Function{"FIND", "V", 2, 3, RunFind},
    Function{"SEARCH", "V", 2, 3, RunSearch},
    Function{"TEXTBEFORE", "V", 2, 6, [](Call& c) { return RunBeside(c, false); }},
    Function{"TEXTAFTER", "V", 2, 6, [](Call& c) { return RunBeside(c, true); }},
    Function{"TEXTSPLIT", "V", 2, 6, RunTextSplit},
};

}  // namespace

FunctionList TextPartFunctions() {
  return kTextPartTable;
}

}  // namespace viv::formula
