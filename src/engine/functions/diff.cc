// Diffs and merges as SQL functions.

#include "engine/functions/diff.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/functions/families.h"
#include "engine/functions/line_diff.h"
#include "engine/functions/merge.h"

namespace viv::engine::functions {
namespace {

constexpr std::int64_t kContextMax = 100'000;

// "12,3" as git writes it: a single line without its count, no lines with the line before them.
std::string RangeText(std::size_t begin, std::size_t end) {
  std::size_t count = end - begin;
  std::size_t line = count == 0 ? begin : begin + 1;
  return count == 1 ? fmt::format("{}", line) : fmt::format("{},{}", line, count);
}

class Unified {
 public:
  Unified(const Lines& old_lines, const Lines& new_lines, std::size_t context)
      : old_(old_lines), new_(new_lines), context_(context) {}

  std::string Write(const std::vector<Change>& changes) {
    for (std::size_t first = 0; first < changes.size();) {
      std::size_t last = first;  // of this hunk: those whose context meets
      while (last + 1 < changes.size() &&
             changes[last + 1].old_begin - changes[last].old_end <= 2 * context_) {
        ++last;
      }
      Hunk({changes.begin() + static_cast<std::ptrdiff_t>(first),
            changes.begin() + static_cast<std::ptrdiff_t>(last + 1)});
      first = last + 1;
    }
    return std::move(out_);
  }

 private:
  void Hunk(std::span<const Change> changes) {
    std::size_t lead = std::min(context_, changes.front().old_begin);
    std::size_t tail = std::min(context_, old_.size() - changes.back().old_end);
    std::size_t old_begin = changes.front().old_begin - lead;
    std::size_t new_begin = changes.front().new_begin - lead;
    std::size_t old_end = changes.back().old_end + tail;
    out_ += fmt::format("@@ -{} +{} @@\n", RangeText(old_begin, old_end),
                        RangeText(new_begin, changes.back().new_end + tail));
    std::size_t at = old_begin;
    for (const Change& change : changes) {
      Add(' ', old_, at, change.old_begin);
      Add('-', old_, change.old_begin, change.old_end);
      Add('+', new_, change.new_begin, change.new_end);
      at = change.old_end;
    }
    Add(' ', old_, at, old_end);
  }

  void Add(char mark, const Lines& lines, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      out_ += mark;
      out_ += lines[i];
      if (!lines[i].ends_with('\n')) out_ += "\n\\ No newline at end of file\n";
    }
  }

  const Lines& old_;
  const Lines& new_;
  std::size_t context_;
  std::string out_;
};

Result<Value> DiffUnifiedFunction(const Arguments& arguments) {
  ASSIGN_OR_RETURN(std::int64_t context, arguments.IntegerOr(2, 3));
  if (context < 0 || context > kContextMax) {
    return Invalid(fmt::format("the context must be between 0 and {}", kContextMax));
  }
  ASSIGN_OR_RETURN(std::string text, DiffUnified(arguments.TextOr(0, ""), arguments.TextOr(1, ""),
                                                 static_cast<std::size_t>(context)));
  return text;
}

Result<Value> DiffStat(const Arguments& arguments) {
  ASSIGN_OR_RETURN(Lines old_lines, SplitLines(arguments.TextOr(0, "")));
  ASSIGN_OR_RETURN(Lines new_lines, SplitLines(arguments.TextOr(1, "")));
  std::size_t additions = 0;
  std::size_t deletions = 0;
  for (const Change& change : DiffLines(old_lines, new_lines)) {
    additions += change.new_end - change.new_begin;
    deletions += change.old_end - change.old_begin;
  }
  return Json{fmt::format(R"({{"additions":{},"deletions":{},"changes":{}}})", additions, deletions,
                          additions + deletions)};
}

Result<Value> MergeThreeFunction(const Arguments& arguments) {
  MergeInput input{
      .base = arguments.Text(0), .ours = arguments.Text(1), .theirs = arguments.Text(2)};
  ASSIGN_OR_RETURN(std::optional<std::string> merged, MergeThree(input));
  if (!merged) return Null{};
  return *std::move(merged);
}

}  // namespace

Result<std::string> DiffUnified(std::string_view old_text,
                                std::string_view new_text,
                                std::size_t context) {
  ASSIGN_OR_RETURN(Lines old_lines, SplitLines(old_text));
  ASSIGN_OR_RETURN(Lines new_lines, SplitLines(new_text));
  return Unified(old_lines, new_lines, context).Write(DiffLines(old_lines, new_lines));
}

std::span<const Function> DiffFunctions() {
  static constexpr Function kFunctions[] = {
      {"diff_unified", 2, 3, DiffUnifiedFunction, NullHandling::kPassToBody},
      {"diff_stat", 2, 2, DiffStat, NullHandling::kPassToBody},
      {"merge_three", 3, 3, MergeThreeFunction}};
  return kFunctions;
}

}  // namespace viv::engine::functions
