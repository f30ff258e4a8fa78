#include "tools/git/patch.h"

namespace viv::tools::git {
namespace {

constexpr std::string_view kHeader = "diff --git ";

std::string Unescaped(std::string_view text) {
  constexpr std::string_view kLetters = "abfnrtv", kBytes = "\a\b\f\n\r\t\v";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    const auto digit = [&](std::size_t k) {
      return i + k < text.size() && text[i + k] >= '0' && text[i + k] <= '7';
    };
    if (c >= '0' && c <= '3' && digit(1) && digit(2)) {
      out += static_cast<char>((c - '0') * 64 + (text[i + 1] - '0') * 8 + (text[i + 2] - '0'));
      i += 2;
    } else if (const std::size_t letter = kLetters.find(c); letter != kLetters.npos) {
      out += kBytes[letter];
    } else {
      if (c != '\\' && c != '"') out += '\\';
      out += c;
    }
  }
  return out;
}

enum class Prefix { kSide, kNone };  // "a/" or "b/" before the path

std::optional<std::string> PathOf(std::string_view text, Prefix prefix) {
  if (const std::size_t tab = text.find('\t'); tab != text.npos) text = text.substr(0, tab);
  if (text == "/dev/null") return std::nullopt;
  std::string path(text);
  if (text.size() >= 2 && text.starts_with('"') && text.ends_with('"'))
    path = Unescaped(text.substr(1, text.size() - 2));
  if (prefix == Prefix::kSide && path.size() >= 2) path.erase(0, 2);
  return path;
}

// "a/x b/x": both names are the same here, for renames say theirs on lines of their own.
void ReadBothPaths(std::string_view text, FileChange& change) {
  std::size_t middle = text.size() / 2;
  if (text.starts_with('"')) {
    const std::size_t between = text.find("\" ");
    if (between != text.npos) middle = between + 1;
  }
  change.old_path = PathOf(text.substr(0, middle), Prefix::kSide);
  change.new_path = PathOf(middle < text.size() ? text.substr(middle + 1) : "", Prefix::kSide);
}

std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

bool IsHeaderLine(std::string_view line) {
  for (std::string_view begin : {"old mode ", "new mode ", "similarity index ", "rename from ",
                                 "rename to ", "new file mode ", "deleted file mode ", "copy from ",
                                 "copy to ", "dissimilarity index ", "index ", "--- ", "+++ "})
    if (line.starts_with(begin)) return true;
  return false;
}

FileChange ReadChange(std::string_view text) {
  FileChange change;
  ReadBothPaths(TakeLine(text).substr(kHeader.size()), change);
  for (bool last = false; !text.empty() && !last;) {
    const std::string_view before = text;
    const std::string_view line = TakeLine(text);
    if (!IsHeaderLine(line)) {
      text = before;
      break;
    }
    if (line.starts_with("rename from ")) change.old_path = PathOf(line.substr(12), Prefix::kNone);
    if (line.starts_with("rename to ")) change.new_path = PathOf(line.substr(10), Prefix::kNone);
    if (line.starts_with("--- ")) change.old_path = PathOf(line.substr(4), Prefix::kSide);
    if (line.starts_with("+++ ")) change.new_path = PathOf(line.substr(4), Prefix::kSide);
    last = line.starts_with("+++ ");
  }
  change.hunks = std::string(text);
  return change;
}

// Where the next header begins, at or after `from`.
std::size_t FindHeader(std::string_view patch, std::size_t from) {
  while (from < patch.size()) {
    if (patch.substr(from).starts_with(kHeader)) return from;
    const std::size_t end = patch.find('\n', from);
    if (end == patch.npos) break;
    from = end + 1;
  }
  return patch.size();
}

}  // namespace

std::vector<FileChange> SplitPatch(std::string_view patch) {
  std::vector<FileChange> changes;
  std::size_t begin = FindHeader(patch, 0);
  while (begin < patch.size()) {
    const std::size_t end = FindHeader(patch, begin + 1);
    changes.push_back(ReadChange(patch.substr(begin, end - begin)));
    begin = end;
  }
  return changes;
}

}  // namespace viv::tools::git
