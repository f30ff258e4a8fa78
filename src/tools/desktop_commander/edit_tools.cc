// edit_block: replaces an exact piece of text, and says what came closest when it is not there.

#include <algorithm>
#include <chrono>
#include <cmath>

#include "tools/desktop_commander/closest_match.h"
#include "tools/desktop_commander/commander.h"
#include "tools/desktop_commander/file_facts.h"

namespace viv::tools::commander {
namespace {

constexpr std::size_t kEditedBytesMax = 64 << 20;
constexpr double kSimilarEnough = 0.7;
constexpr std::size_t kShownBytesMax = 20'000;

std::string_view LineEndingOf(std::string_view content) {
  const std::size_t at = content.find_first_of("\r\n");
  if (at == std::string_view::npos || content[at] == '\n') return "\n";
  return content.substr(at, 2) == "\r\n" ? "\r\n" : "\r";
}

std::string WithLineEnding(std::string_view text, std::string_view ending) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    if (text[i] == '\n' || text[i] == '\r') {
      out += ending;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::int64_t CountOf(std::string_view content, std::string_view part) {
  std::int64_t count = 0;
  for (std::size_t at = 0; (at = content.find(part, at)) != std::string_view::npos;
       at += part.size())
    ++count;
  return count;
}

std::string ReplaceAll(std::string_view content, std::string_view part, std::string_view with) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t at; (at = content.find(part, from)) != std::string_view::npos;
       from = at + part.size())
    (out += content.substr(from, at - from)) += with;
  return out += content.substr(from);
}

std::int64_t LinesOf(std::string_view text) {
  return std::ranges::count(text, '\n') + 1;
}

std::string LongEditWarning(std::string_view old_text,
                            std::string_view new_text,
                            std::int64_t max) {
  const std::int64_t most = std::max(LinesOf(old_text), LinesOf(new_text));
  if (most <= max) return "";
  return "\n\nWARNING: The " +
         std::string(LinesOf(old_text) > LinesOf(new_text) ? "search text" : "replacement text") +
         " has " + std::to_string(most) + " lines (maximum: " + std::to_string(max) +
         ").\n\nRECOMMENDATION: Make several smaller edits instead of one long one.";
}

std::string Shown(const std::string& text) {
  return text.size() <= kShownBytesMax ? text : text.substr(0, kShownBytesMax) + "…";
}

ToolResult NotFoundReport(const std::string& path,
                          std::string_view content,
                          std::string_view wanted) {
  const auto began = std::chrono::steady_clock::now();
  auto closest = FindClosest(content, wanted);
  if (!closest)
    return Text("Search content not found in " + path +
                ". The file is too large to look for a similar text: read the lines in question "
                "with read_file and copy them exactly.");
  char took[32];
  std::snprintf(
      took, sizeof took, "%.2fms",
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
  const std::string percent = std::to_string(std::lround(closest->similarity * 100)) + "%";
  if (closest->similarity >= kSimilarEnough)
    return Text("Exact match not found, but found a similar text with " + percent +
                " similarity (found in " + took + "):\n\nDifferences:\n" +
                Shown(MarkDifference(wanted, closest->found)) +
                "\n\nTo replace this text, use the exact text found in the file.");
  return Text("Search content not found in " + path + ". The closest match was \"" +
              Shown(closest->found) + "\" with only " + percent +
              " similarity, which is below the 70% threshold. (Fuzzy search completed in " + took +
              ")");
}

ToolResult WrongCount(const std::string& path, std::int64_t expected, std::int64_t found) {
  const std::string count = std::to_string(found);
  return Text("Expected " + std::to_string(expected) + " occurrences but found " + count + " in " +
              path + ". To replace all " + count + " of them set expected_replacements to " +
              count + "; to replace one, add lines around it to old_string until it is unique.");
}

ToolResult EditBlockTool(Commander& commander, const Arguments& arguments, const CallContext&) {
  const std::string path = arguments.Text("file_path");
  const std::string old_text = arguments.Text("old_string");
  const std::string new_text = arguments.Text("new_string");
  const std::int64_t expected = arguments.Integer("expected_replacements", 1);
  if (old_text.empty())
    return Text(
        "Empty search strings are not allowed. Please provide a non-empty string to search for.");
  auto allowed = commander.folders.Existing(path, "open");
  if (!allowed) return Failed(allowed.error());
  if (IsImageType(MediaTypeOf(allowed->real)))
    return ErrorText("Error: Cannot read image files as text for internal operations");
  auto file = OpenFile(*allowed, "open");
  if (!file) return Failed(file.error());
  auto content = ReadAll(file->get(), kEditedBytesMax);
  if (!content) return Failed(content.error());
  const std::string_view ending = LineEndingOf(*content);
  const std::string wanted = WithLineEnding(old_text, ending);
  const std::int64_t count = CountOf(*content, wanted);
  if (count == 0) return NotFoundReport(path, *content, wanted);
  if (count != expected) return WrongCount(path, expected, count);
  const std::string changed = ReplaceAll(*content, wanted, WithLineEnding(new_text, ending));
  if (changed.size() > kEditedBytesMax)
    return ErrorText("Error: the file would become larger than 64 MiB");
  if (Status written = ReplaceFile(allowed->directory, allowed->real, changed); !written)
    return Failed(written.error());
  return Text("Successfully applied " + std::to_string(expected) + " edit" +
              (expected > 1 ? "s" : "") + " to " + path +
              LongEditWarning(old_text, new_text, commander.config.WriteLineLimit()));
}

}  // namespace

void AddEditTools(Binder& binder) {
  binder.On("edit_block", EditBlockTool);
}

}  // namespace viv::tools::commander
