#pragma once
// Commits as git stores them, and the texts in which history is told: Python's, since the original
// prints Python objects.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace viv::tools::git {

struct Commit {
  std::string id;
  std::vector<std::string> parents;
  std::string author_name;
  std::optional<std::string> author_email;
  std::int64_t author_seconds = 0;
  int author_offset_minutes = 0;  // east of Greenwich
  std::string message;            // whole, UTF-8
};

// Never fails: what a damaged commit does not say stays empty.
Commit ParseCommit(std::string id, std::string_view bytes);

// The commits in what "git cat-file --batch" wrote; stops at the first thing it cannot read.
std::vector<Commit> ParseCommits(std::string_view batch);

std::string AuthorText(const Commit& commit);      // <git.Actor "Ann <ann@example.org>">
std::string DateText(const Commit& commit);        // 2024-04-03 15:39:04+02:00
std::string DateObjectText(const Commit& commit);  // datetime.datetime(2024, 4, 3, …)

}  // namespace viv::tools::git
