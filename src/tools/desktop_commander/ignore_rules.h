#pragma once
// Which files a code search passes over: the globs of .gitignore, .ignore and .rgignore files, as
// git and ripgrep read them. The last rule that fits decides, and a folder's own rules come before
// those above it.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace viv::tools::commander {

// One glob of such a file: *, **, ?, [set], {a,b}. Without a slash it fits a name in any folder,
// with one it counts from the folder of its file.
class GlobRule {
 public:
  // Nothing for a comment, an empty line or a glob that cannot be read.
  static std::optional<GlobRule> Parse(std::string_view line);

  bool Fits(std::string_view relative_path, bool is_folder) const;
  bool negated() const { return negated_; }

 private:
  bool negated_ = false;
  bool folders_only_ = false;
  std::shared_ptr<const re2::RE2> pattern_;  // shared: rules are copied, RE2 is not
};

enum class Verdict { kNone, kIgnored, kKept };

// The rules of one file.
class RuleList {
 public:
  void Add(std::string_view text);
  Verdict Match(std::string_view relative_path, bool is_folder) const;

 private:
  std::vector<GlobRule> rules_;
};

// The rules in force while a tree is walked: a level for each folder on the way.
class IgnoreRules {
 public:
  void Enter(int folder, const std::string& path);
  void Leave() { levels_.pop_back(); }
  Verdict Match(const std::string& path, bool is_folder) const;

 private:
  struct Level {
    std::string path;
    bool is_repository = false;
    RuleList git, plain;  // .gitignore counts only within a repository
  };
  std::vector<Level> levels_;
};

}  // namespace viv::tools::commander
