#include "tools/desktop_commander/code_search.h"

#include <fcntl.h>
#include <re2/re2.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/text.h"

namespace viv::tools::commander {
namespace {

constexpr std::size_t kFileBytesMax = 64 << 20;
constexpr std::size_t kMatchBytesMax = 16 << 10;  // of a single match
constexpr std::size_t kKeptBytesMax = 1 << 20;    // of all that are kept
constexpr std::size_t kBinaryBytes = 64 << 10;
constexpr std::int64_t kContextLinesMax = 1000;

re2::StringPiece Piece(std::string_view text) {
  return {text.data(), text.size()};
}

// Gathers the results of one file in the order of its lines.
class FileSearch {
 public:
  FileSearch(const CodeSearch& search,
             const std::string& file,
             std::string_view text,
             CodeMatches& matches)
      : search_(search), file_(file), matches_(matches), lines_(Split(text, '\n')) {
    if (text.ends_with('\n')) lines_.pop_back();
  }

  void Go() {
    std::int64_t matching = 0;
    for (std::size_t i = 0; i < lines_.size() && matching < search_.lines_per_file_max; ++i) {
      if (!re2::RE2::PartialMatch(Piece(lines_[i]), *search_.pattern)) continue;
      ++matching;
      Context(i > Around() ? i - Around() : 0, i);
      Line(i);
      next_ = i + 1;
      due_ = std::min(lines_.size(), i + 1 + Around());
    }
    Context(next_, due_);
  }

 private:
  std::size_t Around() const {
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(search_.context_lines, 0, kContextLinesMax));
  }

  // What is due after the match before, and what stands before the next one.
  void Context(std::size_t from, std::size_t to) {
    for (std::size_t i = next_; i < std::min(due_, to); ++i) Keep(i, Trim(lines_[i]));
    for (std::size_t i = std::max({from, next_, std::min(due_, to)}); i < to; ++i)
      Keep(i, Trim(lines_[i]));
    next_ = std::max(next_, to);
  }

  void Line(std::size_t i) {
    const std::string_view line = lines_[i];
    std::size_t at = 0;
    re2::StringPiece match;
    while (at <= line.size() &&
           search_.pattern->Match(Piece(line), at, line.size(), re2::RE2::UNANCHORED, &match, 1)) {
      Keep(i, {match.data(), match.size()});
      const auto end = static_cast<std::size_t>(match.data() - line.data()) + match.size();
      at = match.empty() ? end + 1 : end;
    }
  }

  void Keep(std::size_t i, std::string_view text) {
    text = text.substr(0, kMatchBytesMax);
    matches_.kept_bytes += text.size() + 8;
    if (matches_.kept_bytes > kKeptBytesMax) {
      ++matches_.not_kept;
      return;
    }
    matches_.found.push_back({file_, static_cast<std::int64_t>(i) + 1, std::string(text)});
  }

  const CodeSearch& search_;
  const std::string& file_;
  CodeMatches& matches_;
  std::vector<std::string_view> lines_;
  std::size_t next_ = 0;  // the first line that has not been looked at
  std::size_t due_ = 0;   // context of the last match reaches to here
};

class CodeWalker : public Walker {
 public:
  CodeWalker(const CodeSearch& search, std::string root, CodeMatches& matches)
      : search_(search), root_(std::move(root)), matches_(matches) {}

  void Enter(int folder, const std::string& path) override { rules_.Enter(folder, path); }
  void Leave() override { rules_.Leave(); }

  bool Visit(int folder, const std::string& path, const FolderEntry& entry) override {
    const bool is_folder = entry.kind == EntryKind::kFolder;
    if (entry.kind == EntryKind::kOther) return false;
    const Verdict asked = ByGlob(path, is_folder);
    if (asked == Verdict::kIgnored) return false;
    if (asked == Verdict::kNone) {
      const Verdict ruled = rules_.Match(path, is_folder);
      if (ruled == Verdict::kIgnored) return false;
      if (ruled == Verdict::kNone && entry.name.starts_with('.') && !search_.hidden) return false;
    }
    if (!is_folder) SearchFile(folder, path, entry.name);
    return is_folder;
  }

  void SearchFile(int folder, const std::string& path, const std::string& name) {
    UniqueFd file(::openat(folder, name.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    auto text = ReadAll(file.get(), kFileBytesMax);
    if (!text) {
      ++matches_.too_large;
      return;
    }
    SearchText(search_, path, *text, matches_);
  }

 private:
  Verdict ByGlob(const std::string& path, bool is_folder) const {
    if (!search_.files) return Verdict::kNone;
    const auto fits = [&](const std::string& base) {
      return path.starts_with(base + "/") &&
             search_.files->Fits(std::string_view(path).substr(base.size() + 1), is_folder);
    };
    if (fits(root_) || fits(search_.base))
      return search_.files->negated() ? Verdict::kIgnored : Verdict::kKept;
    return is_folder || search_.files->negated() ? Verdict::kNone : Verdict::kIgnored;
  }

  const CodeSearch& search_;
  const std::string root_;
  CodeMatches& matches_;
  IgnoreRules rules_;
};

}  // namespace

void SearchText(const CodeSearch& search,
                const std::string& file,
                std::string_view text,
                CodeMatches& matches) {
  const std::size_t nul = text.find('\0');
  if (nul < kBinaryBytes) return;
  text = text.substr(0, nul);
  // Most files have no match at all; the whole text tells so at once, unless the pattern is about
  // the ends of the text, which are those of each line.
  const std::string& source = search.pattern->pattern();
  const bool about_ends =
      source.find("\\A") != std::string::npos || source.find("\\z") != std::string::npos;
  if (!about_ends && !re2::RE2::PartialMatch(Piece(text), *search.pattern)) return;
  FileSearch(search, file, text, matches).Go();
}

Result<CodeMatches> SearchPath(const CodeSearch& search,
                               const AllowedPath& allowed,
                               const WalkLimits& limits) {
  CodeMatches matches;
  auto folder = OpenAllowed(allowed, O_RDONLY | O_DIRECTORY | O_NONBLOCK, "scandir");
  CodeWalker walker(search, allowed.real, matches);
  if (folder) {
    matches.complete = Walk(*std::move(folder), allowed.real, walker, limits) == WalkResult::kAll;
    return matches;
  }
  ASSIGN_OR_RETURN(UniqueFd file, OpenFile(allowed, "open"));
  auto text = ReadAll(file.get(), kFileBytesMax);
  if (!text) {
    ++matches.too_large;
    return matches;
  }
  SearchText(search, allowed.real, *text, matches);
  return matches;
}

}  // namespace viv::tools::commander
