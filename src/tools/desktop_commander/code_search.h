#pragma once
// Searches the text of files for a regular expression, as ripgrep does: hidden files, ignored ones
// and binary ones are passed over, and each match in a line is a result of its own.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/desktop_commander/allowed_folders.h"
#include "tools/desktop_commander/ignore_rules.h"
#include "tools/desktop_commander/walk.h"

namespace viv::tools::commander {

struct CodeSearch {
  std::shared_ptr<const re2::RE2> pattern;
  std::optional<GlobRule> files;  // only those that it fits; negated: all others
  std::string base;               // `files` counts from here too, besides the folder searched
  std::int64_t lines_per_file_max = 2000;
  bool hidden = false;
  std::int64_t context_lines = 0;
};

struct CodeMatch {
  std::string file;
  std::int64_t line = 0;
  std::string text;
};

struct CodeMatches {
  std::vector<CodeMatch> found;
  std::size_t kept_bytes = 0;
  std::size_t not_kept = 0;   // further ones, beyond what an answer holds
  std::size_t too_large = 0;  // files that were not searched
  bool complete = true;       // false: time ran out
};

// Within one text; binary text has no matches. For tests, and for each file below.
void SearchText(const CodeSearch& search,
                const std::string& file,
                std::string_view text,
                CodeMatches& matches);

// Below a folder, or in a single file.
Result<CodeMatches> SearchPath(const CodeSearch& search,
                               const AllowedPath& allowed,
                               const WalkLimits& limits);

}  // namespace viv::tools::commander
