#include "tools/filesystem/text_edit.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "tools/filesystem/js_text.h"

namespace viv::tools::filesystem {
namespace {

using TextLines = std::vector<std::string_view>;

TextLines TrimmedLines(const TextLines& lines) {
  TextLines trimmed;
  trimmed.reserve(lines.size());
  for (std::string_view line : lines) trimmed.push_back(TrimBoth(line));
  return trimmed;
}

// Where `wanted` first stands in `lines`; lines.size() when nowhere. Linear in both (Knuth, Morris
// and Pratt), for a text of many like lines would make a plain search endless.
std::size_t FindLines(const TextLines& lines, const TextLines& wanted) {
  std::vector<std::size_t> border(wanted.size() + 1, 0);  // the longest border of each prefix
  for (std::size_t i = 1, length = 0; i < wanted.size(); ++i) {
    while (length > 0 && wanted[i] != wanted[length]) length = border[length];
    if (wanted[i] == wanted[length]) ++length;
    border[i + 1] = length;
  }
  for (std::size_t i = 0, length = 0; i < lines.size(); ++i) {
    while (length > 0 && lines[i] != wanted[length]) length = border[length];
    if (lines[i] == wanted[length]) ++length;
    if (length == wanted.size()) return i + 1 - length;
  }
  return lines.size();
}

// Line `index` of the new text, set in as the text around it is.
std::string Reindented(std::string_view line,
                       std::size_t index,
                       const TextLines& old_lines,
                       std::string_view indent) {
  const std::string moved = std::string(indent);
  if (index == 0) return moved + std::string(TrimStart(line));
  const std::size_t old_length = index < old_lines.size() ? IndentLength(old_lines[index]) : 0;
  const std::size_t new_length = IndentLength(line);
  if (old_length == 0 || new_length == 0) return std::string(line);
  const std::size_t deeper = new_length > old_length ? new_length - old_length : 0;
  return moved + std::string(deeper, ' ') + std::string(TrimStart(line));
}

}  // namespace

bool ReplaceText(std::string& content, std::string_view old_text, std::string_view new_text) {
  if (const std::size_t at = content.find(old_text); at != content.npos) {
    content.replace(at, old_text.size(), new_text);
    return true;
  }
  const TextLines lines = Split(content, '\n'), old_lines = Split(old_text, '\n');
  const std::size_t found = FindLines(TrimmedLines(lines), TrimmedLines(old_lines));
  if (found == lines.size()) return false;
  const std::string_view indent = IndentOf(lines[found]);
  std::string out;
  for (std::size_t i = 0; i < found; ++i) (out += lines[i]) += '\n';
  const TextLines new_lines = Split(new_text, '\n');
  for (std::size_t i = 0; i < new_lines.size(); ++i) {
    if (i > 0) out += '\n';
    out += Reindented(new_lines[i], i, old_lines, indent);
  }
  for (std::size_t i = found + old_lines.size(); i < lines.size(); ++i) (out += '\n') += lines[i];
  content = std::move(out);
  return true;
}

}  // namespace viv::tools::filesystem
