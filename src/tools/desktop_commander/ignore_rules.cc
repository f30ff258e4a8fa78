#include "tools/desktop_commander/ignore_rules.h"

#include <fcntl.h>
#include <re2/re2.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/text.h"
#include "base/unique_fd.h"
#include "tools/kit/workspace.h"

namespace viv::tools::commander {
namespace {

constexpr std::size_t kRuleFileBytesMax = 256 << 10;
constexpr std::size_t kRulesMax = 2000;
constexpr std::size_t kGlobBytesMax = 1000;
constexpr std::int64_t kGlobMemoryMax = 1 << 20;

std::string Quoted(char c) {
  return re2::RE2::QuoteMeta(re2::StringPiece(&c, 1));
}

// Turns a glob into a regular expression over a relative path.
class GlobTranslator {
 public:
  explicit GlobTranslator(std::string_view glob) : glob_(glob) {}

  std::string Translate() {
    while (at_ < glob_.size()) One();
    for (; braces_ > 0; --braces_) out_ += ')';
    return out_;
  }

 private:
  void One() {
    const char c = glob_[at_++];
    switch (c) {
      case '*':
        return Star();
      case '?':
        out_ += "[^/]";
        return;
      case '[':
        return Set();
      case '{':
        out_ += "(?:";
        ++braces_;
        return;
      case '\\':
        if (at_ < glob_.size()) out_ += Quoted(glob_[at_++]);
        return;
      default:
        if (braces_ > 0 && c == '}') {
          out_ += ')';
          --braces_;
        } else {
          out_ += braces_ > 0 && c == ',' ? "|" : Quoted(c);
        }
    }
  }

  void Star() {
    if (at_ >= glob_.size() || glob_[at_] != '*') {
      out_ += "[^/]*";
      return;
    }
    while (at_ < glob_.size() && glob_[at_] == '*') ++at_;
    if (at_ < glob_.size() && glob_[at_] == '/') {
      ++at_;
      out_ += "(?:.*/)?";
    } else {
      out_ += ".*";
    }
  }

  void Set() {
    std::size_t end = at_;
    if (end < glob_.size() && (glob_[end] == '!' || glob_[end] == '^')) ++end;
    if (end < glob_.size() && glob_[end] == ']') ++end;
    while (end < glob_.size() && glob_[end] != ']') ++end;
    if (end >= glob_.size()) {
      out_ += "\\[";
      return;
    }
    std::string_view set = glob_.substr(at_, end - at_);
    const bool negated = set.starts_with('!') || set.starts_with('^');
    if (negated) set.remove_prefix(1);
    out_ += negated ? "[^/" : "[";
    for (char c : set)
      out_ += c == '\\' || c == '[' || c == ']' || c == '^' ? Quoted(c) : std::string(1, c);
    out_ += ']';
    at_ = end + 1;
  }

  std::string_view glob_;
  std::size_t at_ = 0;
  int braces_ = 0;
  std::string out_;
};

std::string ReadRuleFile(int folder, const char* name) {
  UniqueFd file(::openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  return ReadAll(file.get(), kRuleFileBytesMax).value_or("");
}

std::string_view Below(std::string_view path, std::string_view folder) {
  return path.substr(std::min(path.size(), folder == "/" ? 1 : folder.size() + 1));
}

}  // namespace

std::optional<GlobRule> GlobRule::Parse(std::string_view line) {
  while (line.ends_with('\r') || (line.ends_with(' ') && !line.ends_with("\\ ")))
    line.remove_suffix(1);
  if (line.empty() || line.starts_with('#') || line.size() > kGlobBytesMax) return std::nullopt;
  GlobRule rule;
  if (line.starts_with('!')) {
    rule.negated_ = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    rule.folders_only_ = true;
    line.remove_suffix(1);
  }
  const bool anchored = line.find('/') != std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  if (line.empty()) return std::nullopt;
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(true);
  options.set_max_mem(kGlobMemoryMax);
  rule.pattern_ = std::make_shared<const re2::RE2>(
      (anchored ? "" : "(?:.*/)?") + GlobTranslator(line).Translate(), options);
  if (!rule.pattern_->ok()) return std::nullopt;
  return rule;
}

bool GlobRule::Fits(std::string_view relative_path, bool is_folder) const {
  return (is_folder || !folders_only_) &&
         re2::RE2::FullMatch(re2::StringPiece(relative_path.data(), relative_path.size()),
                             *pattern_);
}

void RuleList::Add(std::string_view text) {
  for (std::string_view line : Split(text, '\n')) {
    if (rules_.size() >= kRulesMax) return;
    if (auto rule = GlobRule::Parse(line)) rules_.push_back(*std::move(rule));
  }
}

Verdict RuleList::Match(std::string_view relative_path, bool is_folder) const {
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule)
    if (rule->Fits(relative_path, is_folder))
      return rule->negated() ? Verdict::kKept : Verdict::kIgnored;
  return Verdict::kNone;
}

void IgnoreRules::Enter(int folder, const std::string& path) {
  Level level;
  level.path = path;
  struct stat status {};
  level.is_repository = ::fstatat(folder, ".git", &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (level.is_repository) level.git.Add(ReadRuleFile(folder, ".git/info/exclude"));
  level.git.Add(ReadRuleFile(folder, ".gitignore"));
  level.plain.Add(ReadRuleFile(folder, ".ignore"));
  level.plain.Add(ReadRuleFile(folder, ".rgignore"));
  levels_.push_back(std::move(level));
}

Verdict IgnoreRules::Match(const std::string& path, bool is_folder) const {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
    if (Verdict verdict = level->plain.Match(Below(path, level->path), is_folder);
        verdict != Verdict::kNone)
      return verdict;
  const auto repository = std::find_if(levels_.rbegin(), levels_.rend(),
                                       [](const Level& l) { return l.is_repository; });
  if (repository == levels_.rend()) return Verdict::kNone;
  for (auto level = levels_.rbegin(); level != repository + 1; ++level)
    if (Verdict verdict = level->git.Match(Below(path, level->path), is_folder);
        verdict != Verdict::kNone)
      return verdict;
  return Verdict::kNone;
}

}  // namespace viv::tools::commander
