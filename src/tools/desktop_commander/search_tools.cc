// search_files, by name, and search_code, by content.

#include <fcntl.h>
#include <re2/re2.h>

#include "tools/desktop_commander/code_search.h"
#include "tools/desktop_commander/commander.h"
#include "tools/kit/unicode_pattern.h"

namespace viv::tools::commander {
namespace {

constexpr std::int64_t kSearchMs = 30'000;
constexpr std::int64_t kSearchMsMax = 600'000;
constexpr std::size_t kNamesBytesMax = 1 << 20;
constexpr std::size_t kAnswerBytesMax = 900'000;
constexpr std::int64_t kResultsMax = 5000;
constexpr std::int64_t kResultsDefault = 2000;

std::int64_t SearchTime(const Arguments& arguments) {
  const std::int64_t asked = arguments.Integer("timeoutMs", kSearchMs);
  return asked == 0 ? kSearchMs : std::min(asked, kSearchMsMax);
}

WalkLimits LimitsOf(std::int64_t time_ms, const CallContext& context) {
  return {std::chrono::steady_clock::now() + std::chrono::milliseconds(time_ms), context.cancelled};
}

std::string NothingFound(std::int64_t time_ms) {
  return "No matches found or search timed out after " + std::to_string(time_ms) + "ms.";
}

class NameWalker : public Walker {
 public:
  explicit NameWalker(const std::string& part) : part_(re2::RE2::QuoteMeta(part), Options()) {}

  bool Visit(int, const std::string& path, const FolderEntry& entry) override {
    if (!re2::RE2::PartialMatch(entry.name, part_)) return true;
    if (text_.size() + path.size() > kNamesBytesMax) {
      ++left_out_;
    } else {
      text_ += (text_.empty() ? "" : "\n") + path;
    }
    return true;
  }

  const std::string& text() const { return text_; }
  std::size_t left_out() const { return left_out_; }

 private:
  static re2::RE2::Options Options() {
    re2::RE2::Options options;
    options.set_case_sensitive(false);
    options.set_log_errors(false);
    return options;
  }

  const re2::RE2 part_;
  std::string text_;
  std::size_t left_out_ = 0;
};

ToolResult SearchFilesTool(Commander& commander,
                           const Arguments& arguments,
                           const CallContext& context) {
  const std::int64_t time_ms = SearchTime(arguments);
  const std::string part = arguments.Text("pattern");
  if (part.size() > 1000) return ErrorText("Error: the pattern is longer than 1000 bytes");
  auto allowed = commander.folders.Existing(arguments.Text("path"), "scandir");
  if (!allowed && allowed.error().code == ErrorCode::kNotFound) return Text(NothingFound(time_ms));
  if (!allowed) return Failed(allowed.error());
  auto folder = OpenAllowed(*allowed, O_RDONLY | O_DIRECTORY, "scandir");
  if (!folder) return Text(NothingFound(time_ms));
  NameWalker walker(part);
  const WalkResult end =
      Walk(*std::move(folder), allowed->real, walker, LimitsOf(time_ms, context));
  if (walker.text().empty()) return Text(NothingFound(time_ms));
  std::string text = walker.text();
  if (walker.left_out() > 0)
    text += "\n[" + std::to_string(walker.left_out()) + " more: use a longer pattern]";
  if (end == WalkResult::kStopped)
    text += "\n[Search stopped after " + std::to_string(time_ms) + "ms: not all was searched]";
  return Text(std::move(text));
}

std::string RenderMatches(const CodeMatches& matches, std::int64_t time_ms) {
  std::string text;
  const std::string* file = nullptr;
  std::size_t shown = 0;
  for (const CodeMatch& match : matches.found) {
    std::string addition;
    if (file == nullptr || *file != match.file)
      addition = (file == nullptr ? "" : "\n") + match.file + ":\n";
    addition += "  " + std::to_string(match.line) + ": " + match.text + "\n";
    if (text.size() + addition.size() > kAnswerBytesMax) break;
    text += addition;
    file = &match.file;
    ++shown;
  }
  while (text.ends_with('\n')) text.pop_back();
  if (const std::size_t left = matches.found.size() - shown + matches.not_kept; left > 0)
    text += "\n\n[Results truncated - " + std::to_string(left) +
            " more results available. Use a narrower pattern or a filePattern.]";
  if (matches.too_large > 0)
    text += "\n\n[" + std::to_string(matches.too_large) +
            " files larger than 64 MiB were not searched]";
  if (!matches.complete)
    text += "\n\n[Search stopped after " + std::to_string(time_ms) + "ms: not all was searched]";
  return text;
}

Result<CodeSearch> ReadCodeSearch(const Arguments& arguments, const std::string& workspace) {
  CodeSearch search;
  ASSIGN_OR_RETURN(search.pattern,
                   CompilePattern(arguments.Text("pattern"), arguments.Flag("ignoreCase", true)
                                                                 ? LetterCase::kIgnored
                                                                 : LetterCase::kMatters),
                   "Invalid pattern");
  if (const std::string glob = arguments.Text("filePattern"); !glob.empty()) {
    search.files = GlobRule::Parse(glob);
    if (!search.files) return Fail(ErrorCode::kInvalidArgument, "Invalid filePattern: " + glob);
  }
  search.base = workspace;
  const std::int64_t asked = arguments.Integer("maxResults", kResultsDefault);
  search.lines_per_file_max = asked <= 0 ? kResultsDefault : std::min(asked, kResultsMax);
  search.hidden = arguments.Flag("includeHidden");
  search.context_lines = arguments.Integer("contextLines");
  return search;
}

ToolResult SearchCodeTool(Commander& commander,
                          const Arguments& arguments,
                          const CallContext& context) {
  const std::int64_t time_ms = SearchTime(arguments);
  auto search = ReadCodeSearch(arguments, commander.workspace);
  if (!search) return Failed(search.error());
  auto allowed = commander.folders.Existing(arguments.Text("path"), "scandir");
  if (!allowed && allowed.error().code == ErrorCode::kNotFound) return Text(NothingFound(time_ms));
  if (!allowed) return Failed(allowed.error());
  auto matches = SearchPath(*search, *allowed, LimitsOf(time_ms, context));
  if (!matches) return Failed(matches.error());
  if (matches->found.empty()) return Text(NothingFound(time_ms));
  return Text(RenderMatches(*matches, time_ms));
}

}  // namespace

void AddSearchTools(Binder& binder) {
  binder.On("search_files", SearchFilesTool, Concurrency::kParallel);
  binder.On("search_code", SearchCodeTool, Concurrency::kParallel);
}

}  // namespace viv::tools::commander
