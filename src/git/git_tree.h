#pragma once
// Parses git's listing of a repository's files, and checks paths of requests. Names in a repository
// are not trusted.

#include <string_view>
#include <vector>

#include "base/result.h"
#include "git/repositories.h"

namespace viv::git {

constexpr std::size_t kTreeEntriesMax = 100'000;

// The output of `git ls-tree -l -z`. kLimitExceeded beyond kTreeEntriesMax entries, kInternal when
// it is not of that form.
Result<std::vector<Repositories::TreeEntry>> ParseGitTree(std::string_view output);

// Relative, without empty, "." or ".." components. kInvalidArgument says what is wrong.
Status CheckRepositoryPath(std::string_view path);
// A path that may be written, too: nothing called ".git", whatever a file system makes of case.
Status CheckWritablePath(std::string_view path);

// A repository's folder is named by its account: letters, digits, '-' and '_'.
bool IsRepositoryName(std::string_view account_id);

}  // namespace viv::git
